import { escapeHtml } from '../text/escape-html.ts'

/** A link or picture in markdown whose destination is a path of the workspace. */
const localLink = /!?\[((?:\\.|[^\]\\\n])*)\]\((\/[^/\s()][^\s()]*)\)/g

/** Plain text in which links to files and pages of the workspace are addresses, after their words. */
export const withAddresses = (text: string, origin: string): string =>
  text.replace(localLink, (_, label: string, path: string) => {
    const words = label.replace(/\\([!-/:-@[-`{-~])/g, '$1')
    return words === '' ? origin + path : `${words} (${origin}${path})`
  })

/** HTML of a plain text in which addresses of the workspace are links. */
export const linkedHtml = (text: string, origin: string): string =>
  text
    .split(/(https?:\/\/[^\s()]+)/)
    .map((part) =>
      part.startsWith(`${origin}/`)
        ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>`
        : escapeHtml(part),
    )
    .join('')
