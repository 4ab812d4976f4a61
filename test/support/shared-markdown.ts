import type { Test } from 'tap'
import { type MarkdownService, markdownService } from '../../core/markdown/index.ts'

/** One thread for all the workspaces that a test opens, which need not wait for threads of their own. It ends with the test. */
export function sharedMarkdown(t: Test): MarkdownService {
  // A busy machine is no reason to keep a file as plain text.
  const service = markdownService({ threads: 1, budgetMs: 60_000 })
  t.teardown(() => service.close())
  return {
    analyse: (request, priority) => service.analyse(request, priority),
    writeBlock: (request) => service.writeBlock(request),
    view: (request) => service.view(request),
    expand: (compressed) => service.expand(compressed),
    close: async () => {},
  }
}
