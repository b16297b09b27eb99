{{- define "whittle.labels" -}}
app.kubernetes.io/name: whittle
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
