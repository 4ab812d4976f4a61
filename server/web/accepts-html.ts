import type { Context } from '../context.ts'

/** Paths for programs, which get the same responses from browsers. The target may be a whole address. */
const forPrograms = /^(?:https?:\/\/[^/?#]*)?\/(?:api|v1|dav|metrics|healthz)(?:[/?#]|$)/

/** Whether a person asks with a browser, which says that it takes HTML; a program such as curl says that it takes anything. */
export const acceptsHtml = ({ req }: Pick<Context, 'req'>): boolean =>
  /\btext\/html\b/i.test(req.headers.accept ?? '') && !forPrograms.test(req.url!)
