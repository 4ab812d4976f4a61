import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'

/** Needs no key. `description` is called once, at the first request. */
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
