import { escapeHtml } from '../text/escape-html.ts'

/** A markdown link or image whose destination is a path of the workspace. */
const localLink = /!?\[((?:\\.|[^\]\\\n])*)\]\((\/[^/\s()][^\s()]*)\)/g

/** Writes the URL of each link into the workspace after its text. */
export const withUrls = (text: string, origin: string): string =>
  text.replace(localLink, (_, label: string, path: string) => {
    const linkText = label.replace(/\\([!-/:-@[-`{-~])/g, '$1')
    return linkText === '' ? origin + path : `${linkText} (${origin}${path})`
  })

/** Turns URLs of the workspace into links. */
export const linkifyToHtml = (text: string, origin: string): string =>
  text
    .split(/(https?:\/\/[^\s()]+)/)
    .map((part) =>
      part.startsWith(`${origin}/`)
        ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>`
        : escapeHtml(part),
    )
    .join('')
