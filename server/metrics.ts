import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { requireMetrics } from '../core/access/permissions.ts'
import type { Workspace } from '../core/workspace/index.ts'
import { type Context, newRoutes, type Routes } from './context.ts'

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** Grouped by path, so that requests for many paths cannot create many series. */
class RequestTimes {
  readonly histogram: Histogram<'group' | 'status'>
  private readonly series = new Map<string, ReturnType<Histogram['labels']>>()

  constructor(registry: Registry) {
    this.histogram = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time until the response was ready, by path group and status',
      labelNames: ['group', 'status'],
      buckets,
      registers: [registry],
    })
  }

  observe(ctx: Pick<Context, 'req' | 'status'>, ms: number): void {
    const group = groupOf(pathIn(ctx.req.url!))
    const key = group + ctx.status
    let series = this.series.get(key)
    if (series === undefined) {
      series = this.histogram.labels(group, String(ctx.status))
      this.series.set(key, series)
    }
    series.observe(ms / 1000)
  }
}

/** Replaces `ctx.path`, where Koa throws for an invalid target. */
const pathIn = (target: string): string => /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(target)![1]!

/** Held requests have a group of their own: they take long by design. */
function groupOf(path: string): string {
  if (path.startsWith('/v1/fs')) return 'fs'
  if (path.startsWith('/api/')) return 'api'
  if (path === '/v1/events') return 'events'
  if (path.startsWith('/v1/')) return 'v1'
  return path.startsWith('/dav') ? 'dav' : 'other'
}

interface Metrics {
  durations: RequestTimes
  routes: Routes
}

/** Until the first request for `/metrics`, only request durations are collected. */
export function metricsRoutes(workspace: Pick<Workspace, 'maintenance'>): Metrics {
  const registry = new Registry()
  const gauges = new Map<string, Gauge>()
  let isProcessMeasured = false
  const collect = () => {
    if (!isProcessMeasured) collectDefaultMetrics({ register: registry })
    isProcessMeasured = true
    for (const { name, help, values } of workspace.maintenance.collectMetrics()) {
      const labelNames = Object.keys(values[0]?.labels ?? {})
      const gauge = gauges.get(name) ?? new Gauge({ name, help, labelNames, registers: [registry] })
      gauges.set(name, gauge)
      for (const { labels = {}, value } of values) gauge.set(labels, value)
    }
  }
  const routes = newRoutes()
    .purpose('Read metrics for Prometheus; for owners and admins')
    .get('/metrics', async (ctx) => {
      requireMetrics(ctx.state.caller)
      collect()
      ctx.set('Cache-Control', 'no-store')
      ctx.set('Content-Type', registry.contentType)
      ctx.body = await registry.metrics()
    })
  return { durations: new RequestTimes(registry), routes }
}
