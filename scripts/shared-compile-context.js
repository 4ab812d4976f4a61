import { readFileSync } from 'node:fs'

const copied = /\{\s*\.\.\.context,\s*sliceSerialize: (events\[index\]\[2\]\.sliceSerialize)\s*\}/g

const copies = 3

/**
 * `mdast-util-from-markdown` copies its context for every event, which takes a third of a parse. Handlers use
 * it only during their call, so one shared object is enough. It has no option for this, nor exports its compiler.
 * @type {import('esbuild').Plugin}
 */
export const sharedCompileContext = {
  name: 'shared-compile-context',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]mdast-util-from-markdown[\\/]lib[\\/]index\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const found = source.match(copied)?.length ?? 0
      if (found !== copies) {
        const text = `It copies its context in ${found} places instead of ${copies}: check whether this patch is still needed.`
        return { errors: [{ text, location: { file: path } }] }
      }
      return { contents: source.replace(copied, '((context.sliceSerialize = $1), context)') }
    })
  },
}
