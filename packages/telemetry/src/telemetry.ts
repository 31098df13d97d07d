import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import {
  type ISerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Metric } from '@svc/module';
import type { Config } from '@svc/settings';
import type { RequestTracing } from '@svc/webdriver-gate';
import { Collector, type CollectorOptions, SEND_MS, type Signal } from './collector.ts';
import { OwnMetrics } from './own-metrics.ts';
import { RequestSpans } from './request-spans.ts';

const METRICS_EVERY_MS = 30_000;
const TRACES_EVERY_MS = 5_000;
/** Maximum number of spans that wait to be sent. Further spans are dropped. */
const MOST_WAITING = 2_048;
/** Maximum number of spans per batch. Serializing a full batch blocks the process for half a millisecond. */
const MOST_IN_BATCH = 256;
/**
 * Maximum time (ms) for sending the last batch when the server stops. The whole stop must take at most 5 s (contract
 * 9), even if the collector does not respond.
 */
const LAST_SEND_MS = 1_000;

interface TelemetryOptions extends Omit<CollectorOptions, 'endpoint'> {
  readonly config: Pick<Config, 'metrics'>;
  /**
   * Value that identifies this server among the servers on its host, also after a restart. Only a hash of it is sent.
   */
  readonly instance: string;
  readonly version: string;
  readonly metrics: readonly Metric[];
}

/**
 * Sends metrics and traces to the collector in `SVC_METRICS_ENDPOINT` and to no other server. Only `loadTelemetry`
 * loads this module, and only if the setting exists. Every value that the OpenTelemetry libraries would read from
 * environment variables is passed to them, so that they do not use these variables.
 */
export class Telemetry {
  readonly tracing: RequestTracing;
  readonly #collector: Collector;
  readonly #meters: MeterProvider;
  readonly #traces: TracerProvider;

  constructor({ config, instance, version, metrics, ...tools }: TelemetryOptions) {
    const { endpoint, traceRatio } = config.metrics;
    if (endpoint === null) throw new Error('there is no SVC_METRICS_ENDPOINT');
    const collector = new Collector({ ...tools, endpoint });
    const resource = resourceOf(instance, version);
    const reader = new PeriodicExportingMetricReader({
      exporter: exporter(collector, 'metrics', ProtobufMetricsSerializer),
      exportIntervalMillis: METRICS_EVERY_MS,
      exportTimeoutMillis: SEND_MS,
      metricProducers: [new OwnMetrics(metrics, resource)],
    });
    this.#collector = collector;
    this.#meters = new MeterProvider({ resource, readers: [reader] });
    this.#traces = new TracerProvider({
      resource,
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(traceRatio) }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: exporter(collector, 'traces', ProtobufTraceSerializer),
          maxQueueSize: MOST_WAITING,
          maxExportBatchSize: MOST_IN_BATCH,
          scheduledDelayMillis: TRACES_EVERY_MS,
          exportTimeoutMillis: SEND_MS,
        }),
      ],
    });
    this.tracing = new RequestSpans(this.#traces.getTracer('svc', version));
  }

  /** Sends the waiting data. Resolves after `LAST_SEND_MS` at the latest, and never rejects. */
  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((done) => {
      timer = setTimeout(done, LAST_SEND_MS);
    });
    const sent = Promise.allSettled([this.#traces.shutdown(), this.#meters.shutdown()]);
    await Promise.race([sent, patience]);
    clearTimeout(timer);
    await this.#collector.close();
  }
}

/**
 * Returns an exporter that sends its data to the collector. It implements the interface that OpenTelemetry's span
 * processor and metric reader share.
 */
function exporter<Content>(collector: Collector, signal: Signal, serializer: ISerializer<Content, unknown>) {
  return {
    export: (content: Content, done: (result: ExportResult) => void): void => {
      const body = serializer.serializeRequest(content);
      if (body === undefined) {
        done({ code: ExportResultCode.FAILED });
        return;
      }
      collector.send(signal, body).then(
        () => done({ code: ExportResultCode.SUCCESS }),
        (error: Error) => done({ code: ExportResultCode.FAILED, error }),
      );
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
}

/**
 * Returns the OpenTelemetry resource attributes of this server, which distinguish its time series from those of other
 * servers.
 */
function resourceOf(instance: string, version: string): Resource {
  const host = hostname();
  const id = createHash('sha256').update(`${host}\0${instance}`).digest('hex').slice(0, 32);
  return resourceFromAttributes({
    'service.name': 'svc',
    'service.version': version,
    'service.instance.id': id,
    'host.name': host,
  });
}
