import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'

/**
 * `GET /openapi.json` needs no key: it holds nothing of the workspace.
 * @param description made once, when it is first asked for
 */
export function openApiRoutes(description: () => object): Routes {
  let json: string | undefined
  return newRoutes()
    .purpose('Read the OpenAPI description; needs no key')
    .get('/openapi.json', accepts({}), (ctx) => {
      json ??= JSON.stringify(description())
      ctx.set('Cache-Control', 'no-cache')
      ctx.type = 'application/json; charset=utf-8'
      ctx.body = json
    })
}
