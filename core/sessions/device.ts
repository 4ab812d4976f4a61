/** By user agent. Each also claims to be those below it. */
const browsers: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/\d/],
  ['Opera', /\bOPR\/\d/],
  ['Samsung Internet', /\bSamsungBrowser\/\d/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/\d/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\/\d/],
  ['Safari', /\bSafari\/\d/],
]

/** By user agent. Android claims to be Linux, and an iPhone a Mac. */
const systems: readonly [name: string, pattern: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
]

export function deviceOf(userAgent: string): string {
  const nameIn = (list: typeof browsers) => list.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const browser = nameIn(browsers)
  const system = nameIn(systems)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  // Programs name themselves first, such as `curl/8.5.0`.
  const program = /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/.exec(userAgent)?.[0]
  return program ?? 'An unknown browser'
}
