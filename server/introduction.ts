import { introduction } from '../core/orientation/introduction.ts'
import { accepts } from './accepted-input.ts'
import { type Context, newRoutes, type RouteContext, type Routes } from './context.ts'

export const introductionRoutes = (publicUrl: string): Routes =>
  newRoutes()
    .purpose('Read what this is and how to get a key; needs no key')
    .get('/llms.txt', accepts({}), (ctx) => sendIntroduction(ctx, publicUrl, 'text/plain'))

/** Answers `/` with the same text where a program prefers markdown. */
export const introductionForPrograms =
  (publicUrl: string) =>
  (ctx: RouteContext, next: () => Promise<unknown>): unknown => {
    ctx.vary('Accept')
    return prefersMarkdown(ctx) ? sendIntroduction(ctx, publicUrl, 'text/markdown') : next()
  }

const prefersMarkdown = (ctx: Context): boolean =>
  /\btext\/markdown\b/i.test(ctx.get('Accept')) &&
  ctx.accepts('text/html', 'text/markdown') === 'text/markdown'

function sendIntroduction(ctx: Context, publicUrl: string, type: 'text/plain' | 'text/markdown'): void {
  ctx.set('Cache-Control', 'no-cache')
  ctx.set('Content-Type', `${type}; charset=utf-8`)
  ctx.body = introduction(publicUrl)
}
