Œ
mainm