{{- define "acceld.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "acceld.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "acceld.labels" -}}
{{ include "acceld.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "acceld.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "acceld.name" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "acceld.image" -}}
{{- printf "%s:%s-%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) .Values.accelerator -}}
{{- end -}}

{{/* What cannot be, however well each value is formed. */}}
{{- define "acceld.check" -}}
{{- if and .Values.tls.enabled (not .Values.tls.secret) -}}
{{- fail "tls.enabled needs tls.secret" -}}
{{- end -}}
{{- if and .Values.tls.enabled (not .Values.access.tokensSecret) (not .Values.tls.clientCaSecret) -}}
{{- fail "tls.enabled needs access.tokensSecret or tls.clientCaSecret: without either nobody is known" -}}
{{- end -}}
{{- if and (eq .Values.kind "Deployment") (not .Values.tls.enabled) (not .Values.socket.onHost) -}}
{{- fail "nobody gets to this Deployment: tls.enabled or socket.onHost" -}}
{{- end -}}
{{- if and (eq .Values.cache.type "persistentVolumeClaim") (or (ne .Values.kind "Deployment") (gt (int .Values.replicas) 1)) -}}
{{- fail "cache.type persistentVolumeClaim is for a Deployment with one replica: a cache folder is one daemon's" -}}
{{- end -}}
{{- if and .Values.socket.onHost (eq .Values.kind "Deployment") (gt (int .Values.replicas) 1) -}}
{{- fail "socket.onHost is for a DaemonSet, or one replica: two daemons on a node would share the folder" -}}
{{- end -}}
{{- if and .Values.tls.enabled .Values.metrics.enabled (eq (int .Values.tls.port) (int .Values.metrics.port)) -}}
{{- fail "tls.port and metrics.port are the same" -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled .Values.remoteCache.enabled (not .Values.networkPolicy.egress) -}}
{{- fail "networkPolicy.egress has to lead to the Redis of remoteCache.url" -}}
{{- end -}}
{{- end -}}

{{/* Settings as TOML, of which the file's tables come last. */}}
{{- define "acceld.toml" -}}
{{- range $key, $value := .settings -}}
{{- if not (kindIs "map" $value) }}
{{ $key }} = {{ include "acceld.tomlValue" $value }}
{{- end -}}
{{- end -}}
{{- $path := .path -}}
{{- range $key, $value := .settings -}}
{{- if kindIs "map" $value }}
{{- $table := append $path (toJson $key) }}
[{{ join "." $table }}]
{{- include "acceld.toml" (dict "settings" $value "path" $table) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "acceld.tomlValue" -}}
{{- if kindIs "float64" . -}}
{{- if eq (floor .) . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{/* What the daemon reads: values of the chart, then those of `config`, which stand before them. */}}
{{- define "acceld.settings" -}}
{{- $listen := list "unix:/run/acceld/acceld.sock" -}}
{{- if .Values.tls.enabled -}}
{{- $listen = append $listen (printf "tls://0.0.0.0:%d" (int .Values.tls.port)) -}}
{{- end -}}
{{- $settings := dict
  "listen" $listen
  "log-format" "json"
  "shutdown-grace" .Values.drain.shutdownGraceSeconds
  "socket-mode" .Values.socket.mode
  "cache-disk-size" .Values.cache.diskSize
-}}
{{- range $role := list "users" "publishers" "admins" -}}
{{- with index $.Values.access $role -}}{{- $_ := set $settings $role . -}}{{- end -}}
{{- end -}}
{{- if .Values.metrics.enabled -}}
{{- $_ := set $settings "metrics-listen" (printf "0.0.0.0:%d" (int .Values.metrics.port)) -}}
{{- end -}}
{{- if eq .Values.accelerator "cpu" -}}{{- $_ := set $settings "cuda-devices" "none" -}}{{- end -}}
{{- if .Values.tls.enabled -}}
{{- $_ := set $settings "tls-cert" "/etc/acceld-tls/tls.crt" -}}
{{- $_ := set $settings "tls-key" "/etc/acceld-tls/tls.key" -}}
{{- if .Values.tls.clientCaSecret -}}{{- $_ := set $settings "tls-client-ca" "/etc/acceld-clients/ca.crt" -}}{{- end -}}
{{- end -}}
{{- if .Values.access.tokensSecret -}}
{{- $_ := set $settings "access-tokens" (printf "/etc/acceld-tokens/%s" .Values.access.tokensKey) -}}
{{- end -}}
{{- with .Values.remoteCache -}}
{{- if .enabled -}}
{{- $_ := set $settings "remote-cache-url" .url -}}
{{- if .passwordSecret -}}
{{- $_ := set $settings "remote-cache-password-file" (printf "/etc/acceld-remote/password/%s" .passwordKey) -}}
{{- end -}}
{{- $_ := set $settings "remote-cache-key-file" (printf "/etc/acceld-remote/key/%s" .keyKey) -}}
{{- end -}}
{{- end -}}
{{- toJson (merge (deepCopy .Values.config) $settings) -}}
{{- end -}}

{{- define "acceld.pod" -}}
{{- $limits := default dict .Values.resources.limits -}}
metadata:
  labels:
    {{- include "acceld.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    # The daemon reads its file when it starts. Files of tokens, certificates and the team's keys it reads again
    # by itself.
    checksum/config: {{ include "acceld.settings" . | sha256sum }}
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "acceld.serviceAccountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  # The drain, the work in flight, and what the daemon takes for a kernel or compile that cannot be cut short (16 s).
  terminationGracePeriodSeconds: {{ add .Values.drain.seconds .Values.drain.shutdownGraceSeconds 20 }}
  {{- if and (eq .Values.accelerator "gpu") .Values.gpu.runtimeClassName }}
  runtimeClassName: {{ .Values.gpu.runtimeClassName }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: {type: RuntimeDefault}
  {{- if or .Values.socket.onHost (eq .Values.cache.type "hostPath") }}
  initContainers:
    # Folders of the host are root's when they are new.
    - name: folders
      image: {{ include "acceld.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command: [chown, "10001:10001", /run/acceld, /var/cache/acceld]
      securityContext:
        runAsNonRoot: false
        runAsUser: 0
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL], add: [CHOWN]}
      resources:
        requests: {cpu: 10m, memory: 16Mi}
        limits: {cpu: 100m, memory: 64Mi}
      {{- if eq .Values.accelerator "gpu" }}
      env:
        # The image asks for all of the node's.
        - {name: NVIDIA_VISIBLE_DEVICES, value: void}
      {{- end }}
      volumeMounts:
        - {name: run, mountPath: /run/acceld}
        - {name: cache, mountPath: /var/cache/acceld}
  {{- end }}
  containers:
    - name: acceld
      image: {{ include "acceld.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [--config, /etc/acceld/config.toml]
      {{- if or (hasKey $limits "cpu") (eq .Values.accelerator "gpu") }}
      env:
        {{- if hasKey $limits "cpu" }}
        # The daemon sees all of the node's cores.
        {{- range $setting := list "threads-per-device" "compile-threads" }}
        {{- if not (hasKey $.Values.config $setting) }}
        - name: ACCELD_{{ $setting | upper | replace "-" "_" }}
          valueFrom:
            resourceFieldRef: {containerName: acceld, resource: limits.cpu, divisor: "1"}
        {{- end }}
        {{- end }}
        {{- end }}
        {{- if eq .Values.accelerator "gpu" }}
        - {name: NVIDIA_DRIVER_CAPABILITIES, value: "compute,utility"}
        {{- end }}
      {{- end }}
      {{- if or .Values.tls.enabled .Values.metrics.enabled }}
      ports:
        {{- if .Values.tls.enabled }}
        - {name: grpc, containerPort: {{ .Values.tls.port }}}
        {{- end }}
        {{- if .Values.metrics.enabled }}
        - {name: metrics, containerPort: {{ .Values.metrics.port }}}
        {{- end }}
      {{- end }}
      startupProbe:
        exec: {command: [accelctl, health, --live]}
        periodSeconds: 3
        timeoutSeconds: 6
        failureThreshold: 60
      # One that drains is well, but takes nothing new.
      livenessProbe:
        exec: {command: [accelctl, health, --live]}
        periodSeconds: 15
        timeoutSeconds: 10
        failureThreshold: 4
        # One that does not answer does not drain either.
        terminationGracePeriodSeconds: 30
      readinessProbe:
        exec: {command: [accelctl, health]}
        periodSeconds: 5
        timeoutSeconds: 6
        failureThreshold: 2
      {{- if .Values.drain.seconds }}
      lifecycle:
        preStop:
          exec:
            command: [timeout, {{ .Values.drain.seconds | quote }}, accelctl, drain, --wait]
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      resources:
        {{- $resources := deepCopy .Values.resources }}
        {{- if and (eq .Values.accelerator "gpu") (gt (int .Values.gpu.count) 0) }}
        {{- $_ := set $resources "limits" (merge (dict .Values.gpu.resource (int .Values.gpu.count)) $limits) }}
        {{- end }}
        {{- toYaml $resources | nindent 8 }}
      volumeMounts:
        - {name: config, mountPath: /etc/acceld, readOnly: true}
        - {name: run, mountPath: /run/acceld}
        - {name: cache, mountPath: /var/cache/acceld}
        - {name: tmp, mountPath: /tmp}
        {{- if .Values.tls.enabled }}
        - {name: tls, mountPath: /etc/acceld-tls, readOnly: true}
        {{- if .Values.tls.clientCaSecret }}
        - {name: client-ca, mountPath: /etc/acceld-clients, readOnly: true}
        {{- end }}
        {{- end }}
        {{- if .Values.access.tokensSecret }}
        - {name: tokens, mountPath: /etc/acceld-tokens, readOnly: true}
        {{- end }}
        {{- if .Values.remoteCache.enabled }}
        {{- if .Values.remoteCache.passwordSecret }}
        - {name: remote-password, mountPath: /etc/acceld-remote/password, readOnly: true}
        {{- end }}
        - {name: remote-key, mountPath: /etc/acceld-remote/key, readOnly: true}
        {{- end }}
  volumes:
    - name: config
      configMap: {name: {{ include "acceld.name" . }}}
    - name: run
      {{- if .Values.socket.onHost }}
      hostPath: {path: {{ .Values.socket.hostPath }}, type: DirectoryOrCreate}
      {{- else }}
      emptyDir: {medium: Memory, sizeLimit: 1Mi}
      {{- end }}
    - name: cache
      {{- if eq .Values.cache.type "hostPath" }}
      hostPath: {path: {{ .Values.cache.hostPath }}, type: DirectoryOrCreate}
      {{- else if eq .Values.cache.type "persistentVolumeClaim" }}
      persistentVolumeClaim: {claimName: {{ .Values.cache.existingClaim | default (include "acceld.name" .) }}}
      {{- else }}
      emptyDir: {sizeLimit: {{ .Values.cache.volumeSize }}}
      {{- end }}
    - name: tmp
      emptyDir: {sizeLimit: 256Mi}
    {{- if .Values.tls.enabled }}
    - name: tls
      secret: {secretName: {{ .Values.tls.secret }}, defaultMode: 0440}
    {{- if .Values.tls.clientCaSecret }}
    - name: client-ca
      secret:
        secretName: {{ .Values.tls.clientCaSecret }}
        items: [{key: ca.crt, path: ca.crt}]
    {{- end }}
    {{- end }}
    {{- with .Values.access.tokensSecret }}
    - name: tokens
      secret: {secretName: {{ . }}, defaultMode: 0440}
    {{- end }}
    {{- if .Values.remoteCache.enabled }}
    {{- with .Values.remoteCache.passwordSecret }}
    - name: remote-password
      secret: {secretName: {{ . }}, defaultMode: 0440}
    {{- end }}
    - name: remote-key
      secret: {secretName: {{ .Values.remoteCache.keySecret }}, defaultMode: 0440}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- $tolerations := .Values.tolerations }}
  {{- if eq .Values.accelerator "gpu" }}
  {{- $tolerations = prepend $tolerations (dict "key" .Values.gpu.resource "operator" "Exists" "effect" "NoSchedule") }}
  {{- end }}
  {{- with $tolerations }}
  tolerations: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{ toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
