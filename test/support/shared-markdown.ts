import type { Test } from 'tap'
import { type MarkdownOptions, type MarkdownService, markdownService } from '../../core/markdown/index.ts'

/** A busy machine is no reason to keep a file as plain text. */
const inNoHurry = { threads: 1, budgetMs: 60_000 }

/** The threads for all the workspaces that a test opens, which need not wait for threads of their own. They end with the test. */
export function sharedMarkdown(t: Test, options: MarkdownOptions = inNoHurry): MarkdownService {
  const service = markdownService(options)
  t.teardown(() => service.close())
  return openAfterAll(service)
}

let ofProcess: MarkdownService | null = null

/**
 * The same for all servers of this process, within the budget of real life: to load the threads costs more than all the
 * rest of a server's start. With nothing to do they keep no process from ending.
 */
export function processMarkdown(): MarkdownService {
  ofProcess ??= openAfterAll(markdownService({ kept: 1 }))
  return ofProcess
}

/** One that stays open when a workspace that uses it is closed. */
function openAfterAll(service: MarkdownService): MarkdownService {
  return {
    analyse: (...request) => service.analyse(...request),
    writeBlock: (...request) => service.writeBlock(...request),
    edit: (...request) => service.edit(...request),
    view: (request) => service.view(request),
    html: (request, priority) => service.html(request, priority),
    htmls: (requests) => service.htmls(requests),
    differences: (request) => service.differences(request),
    textParts: (request) => service.textParts(request),
    diagram: (source) => service.diagram(source),
    expand: (compressed) => service.expand(compressed),
    waiting: () => service.waiting(),
    running: () => service.running(),
    overBudget: () => service.overBudget(),
    close: async () => {},
  }
}
