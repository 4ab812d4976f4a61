import t from 'tap'
import { anyWords } from '../../../core/search/search-query.ts'
import { snippetOf } from '../../../core/search/snippet.ts'

t.test('a snippet looks at each word of a long text once', async (t) => {
  const wordCount = 60_000
  let looks = 0
  class CountedWords extends Set<string> {
    override has(word: string): boolean {
      looks += 1
      return super.has(word)
    }
  }
  // A query with a second word, which the text does not have, is not content with the beginning.
  const whole = new CountedWords(['ab', 'missing'])
  t.equal(snippetOf('ab '.repeat(wordCount).trim(), { ...anyWords, whole }), `${'ab '.repeat(24).trim()}…`)
  t.equal(looks, wordCount)
})
