/** Code points. */
const maxSlugLength = 80

/** Keeps letters and digits of any script. Callers use the id if nothing remains. */
export function slugOf(name: string): string {
  // A faster path to the same result: most names are ASCII.
  if (isAscii.test(name)) return truncateAscii(name.toLowerCase().replace(/[^a-z0-9]+/g, '-'))
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .normalize('NFC')
  const cut = [...slug.replace(/^-+/, '')].slice(0, maxSlugLength).join('')
  return cut.replace(/-+$/, '')
}

const isAscii = /^[\0-\x7f]*$/

function truncateAscii(slug: string): string {
  const start = slug.startsWith('-') ? 1 : 0
  const cut = slug.slice(start, start + maxSlugLength)
  return cut.endsWith('-') ? cut.slice(0, -1) : cut
}

/** Appends `-2`, `-3` … to a taken slug, and shortens it if necessary. */
export function availableSlug(slug: string, isTaken: (slug: string) => boolean): string {
  for (let ordinal = 1; ; ordinal += 1) {
    const candidate = ordinal === 1 ? slug : withSuffix(slug, `-${ordinal}`)
    if (!isTaken(candidate)) return candidate
  }
}

function withSuffix(slug: string, suffix: string): string {
  const kept = [...slug].slice(0, maxSlugLength - suffix.length).join('')
  return kept.replace(/-+$/, '') + suffix
}
