import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

// nephele over a folder, in its own process. Its packages are not dependencies and may be missing.

interface Nephele {
  default(options: { adapter: object; authenticator: object }): unknown
}

interface Express {
  default(): RequestListener & {
    use(path: string, handler: unknown): void
    listen(port: number, host: string, done: () => void): { address(): AddressInfo }
  }
}

type Constructed = { default: new (options: object) => object }

// A variable keeps TypeScript from resolving the missing packages.
const load = <Module>(name: string): Promise<Module> => import(name)

async function serve(root: string): Promise<number> {
  const express = await load<Express>('express')
  const nephele = await load<Nephele>('nephele')
  const { default: FileSystem } = await load<Constructed>('@nephele/adapter-file-system')
  const { default: Nobody } = await load<Constructed>('@nephele/authenticator-none')
  const app = express.default()
  app.use('/', nephele.default({ adapter: new FileSystem({ root }), authenticator: new Nobody({}) }))
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve(server.address().port))
  })
}

serve(process.argv[2]!).then(
  (result) => process.send!({ result }),
  (error: Error) => process.send!({ error: error.message }),
)
