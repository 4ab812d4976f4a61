import type { Test } from 'tap'
import type { Connection } from '../../data/database.ts'

const methods = ['run', 'get', 'all', 'iterate'] as const

/** Lists the SQL of all prepared statements that run in this process from now on until the test ends. */
export function executedStatements(t: Test, connection: Connection): string[] {
  const executed: string[] = []
  const prototype = Object.getPrototypeOf(connection.prepare('SELECT 1'))
  for (const method of methods) {
    const execute = prototype[method]
    prototype[method] = function (this: { source: string }, ...values: unknown[]) {
      executed.push(this.source)
      return Reflect.apply(execute, this, values)
    }
    t.teardown(() => {
      prototype[method] = execute
    })
  }
  return executed
}
