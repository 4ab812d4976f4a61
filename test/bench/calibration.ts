import { cpus, loadavg } from 'node:os'
import { median, perSecond } from './measured.ts'
import { startBareKoa, startLoader } from './processes.ts'
import { prose } from './prose.ts'

const rounds = 3
const roundMs = 1200

/** How often bare Koa answers a GET of 4 kB to 32 connections: the speed of the machine. */
async function bareKoaRate(): Promise<number> {
  const loader = startLoader()
  const koa = await startBareKoa()
  try {
    await koa.answer({ status: 200, type: 'text/markdown', etag: '"0"', body: prose('Reading', 4096) })
    const load = { port: koa.port, method: 'GET', path: '/', connections: 32, status: 200 }
    await loader.run({ ...load, durationMs: roundMs })
    const rates: number[] = []
    for (let round = 0; round < rounds; round++)
      rates.push((await loader.run({ ...load, durationMs: roundMs })).perSecond)
    return median(rates)
  } finally {
    await loader.close()
    await koa.close()
  }
}

/**
 * Measures the machine's speed, once before a run and once after it.
 * @returns measures it again, and describes the run and the machine
 */
export async function startCalibration(): Promise<(command: string) => Promise<string>> {
  const startedAt = new Date()
  const [load = 0] = loadavg()
  const before = await bareKoaRate()
  return async (command) => {
    const minutes = Math.ceil((Date.now() - startedAt.getTime()) / 60_000)
    const after = await bareKoaRate()
    const took = minutes === 1 ? 'a minute' : `${minutes} minutes`
    const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.version}`
    return [
      `Measured on ${startedAt.toISOString().slice(0, 10)} by \`${command}\` in ${took}: ${machine}.`,
      `The load was ${load.toFixed(1)} before the run. Bare Koa answered ${perSecond(before)} before and ${perSecond(after)} after it.`,
    ].join('\n')
  }
}
