import type { Context } from '../context.ts'

/** Paths for programs, which answer browsers in the same way. The target may be a whole URL. */
const forPrograms = /^(?:https?:\/\/[^/?#]*)?\/(?:api|v1|dav|metrics|healthz)(?:[/?#]|$)/

/** Browsers name HTML in `Accept`; a program such as curl accepts anything. */
export const acceptsHtml = ({ req }: Pick<Context, 'req'>): boolean =>
  /\btext\/html\b/i.test(req.headers.accept ?? '') && !forPrograms.test(req.url!)
