import { readFileSync } from 'node:fs'

/** Combines the constructs of all extensions for one parse. */
const combined = 'combineExtensions([defaultConstructs, ...(settings.extensions || [])])'

const patch = `
const constructsOf = new WeakMap()
const none = []

function cachedConstructs(extensions = none) {
  const cached = constructsOf.get(extensions)
  if (cached) return cached
  const constructs = combineExtensions([defaultConstructs, ...extensions])
  constructsOf.set(extensions, constructs)
  return constructs
}
`

/**
 * `micromark` combines the constructs of all extensions for every text, which takes a third of the parse of a
 * message, and a tenth of that of a document. They are only read, so they are combined once for each array of
 * extensions. It has no option for this: extensions that are combined beforehand are combined with its own.
 * @type {import('esbuild').Plugin}
 */
export const cachedConstructs = {
  name: 'cached-constructs',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]micromark[\\/]lib[\\/]parse\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes(combined)) {
        const text = 'It combines its constructs in another way: check whether this patch is still needed.'
        return { errors: [{ text, location: { file: path } }] }
      }
      return {
        contents: source.replace(combined, 'cachedConstructs(settings.extensions || undefined)') + patch,
      }
    })
  },
}
