{{- define "svc.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Labels by which services and policies find the pods. */}}
{{- define "svc.selector" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Settings that hold a secret, which the README marks with †. */}}
{{- define "svc.secretSettings" -}}
SVC_AI_API_KEY SVC_BOOTSTRAP_ADMIN_PASSWORD SVC_ENTRANCE_TOKEN SVC_METRICS_TOKEN SVC_NODE_TOKEN SVC_OIDC_CLIENT_SECRET SVC_PROXY SVC_SMTP_URL SVC_UPSTREAM_AUTHORIZATION
{{- end -}}

{{- define "svc.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "svc.podSecurity" -}}
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
runAsNonRoot: true
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "svc.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "svc.probes" -}}
startupProbe:
  httpGet: { path: /svc/api/health, port: http }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /svc/api/health, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /svc/api/health/ready, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}

{{- define "svc.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Settings that both the first entrance and the further entrances need. */}}
{{- define "svc.commonEnvironment" -}}
- { name: HOST, value: 0.0.0.0 }
- { name: PORT, value: "4723" }
- { name: SVC_UPSTREAM, value: {{ .Values.grid.url | quote }} }
{{- with .Values.trustedProxies }}
- { name: SVC_TRUSTED_PROXIES, value: {{ . | quote }} }
{{- end }}
{{- end -}}

{{/* Settings that only a further entrance reads. It has no accounts and no database. */}}
{{- define "svc.entranceSettings" -}}
{{- range $name := list "SVC_REQUIRE_SESSION_TOKEN" "SVC_REQUIRE_COMMAND_AUTH" "SVC_COMMAND_AUTH_REPORT_ONLY" "SVC_JWT_ISSUER" "SVC_BASE_PATH" "SVC_LOG_LEVEL" "SVC_CREATE_MAX_BYTES" "SVC_MAX_CONNECTIONS_PER_ADDRESS" }}
{{- with index $.Values.settings $name }}
- { name: {{ $name }}, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end -}}
