import { introduction } from '../core/orientation/introduction.ts'
import { accepts } from './accepted-input.ts'
import { type Context, newRoutes, type RouteContext, type Routes } from './context.ts'

/** `GET /llms.txt` needs no key: who has none learns here how to get one. */
export const introductionRoutes = (publicUrl: string): Routes =>
  newRoutes()
    .purpose('Read what this is and how to get a key; needs no key')
    .get('/llms.txt', accepts({}), (ctx) => sendIntroduction(ctx, publicUrl, 'text/plain'))

/** The same at `/`, for a program that asks for markdown rather than for a page. */
export const introductionForPrograms =
  (publicUrl: string) =>
  (ctx: RouteContext, next: () => Promise<unknown>): unknown => {
    ctx.vary('Accept')
    return prefersMarkdown(ctx) ? sendIntroduction(ctx, publicUrl, 'text/markdown') : next()
  }

/** A program that takes anything gets the page, as a browser does. */
const prefersMarkdown = (ctx: Context): boolean =>
  /\btext\/markdown\b/i.test(ctx.get('Accept')) &&
  ctx.accepts('text/html', 'text/markdown') === 'text/markdown'

function sendIntroduction(ctx: Context, publicUrl: string, type: 'text/plain' | 'text/markdown'): void {
  ctx.set('Cache-Control', 'no-cache')
  ctx.set('Content-Type', `${type}; charset=utf-8`)
  ctx.body = introduction(publicUrl)
}
