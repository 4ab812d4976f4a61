import type { Test } from 'tap'
import { type MarkdownOptions, type MarkdownService, markdownService } from '../../core/markdown/index.ts'
import { atProcessEnd } from './process-end.ts'

/** No job takes as long, however busy the machine, so that no file is kept as plain text for that. */
const budgetMs = 600_000

/** Starts one parser for all workspaces of a test, which saves starting threads for each. */
export function sharedMarkdown(
  t: Test,
  options: MarkdownOptions = { threads: 1, budgetMs },
): MarkdownService {
  const service = markdownService(options)
  t.teardown(() => service.close())
  return withoutClose(service)
}

let processService: MarkdownService | null = null

/** The parser of all servers in this process, because loading threads takes most of a server's start. */
export function processMarkdown(): MarkdownService {
  processService ??= openForProcess()
  return processService
}

function openForProcess(): MarkdownService {
  const service = markdownService({ maxRunMs: budgetMs, minThreads: 1 })
  atProcessEnd(() => service.close())
  return withoutClose(service)
}

type Analyse = MarkdownService['analyse']

/** The parser of the process, which waits with what `isHeld` names until `open` is called. */
export function gatedMarkdown(isHeld: (...request: Parameters<Analyse>) => boolean): {
  markdown: MarkdownService
  open: () => void
} {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const markdown = processMarkdown()
  const analyse: Analyse = async (...request) => {
    if (isHeld(...request)) await opened
    return markdown.analyse(...request)
  }
  return { markdown: { ...markdown, analyse }, open }
}

/** The service without its `close`, which each workspace calls. */
function withoutClose(service: MarkdownService): MarkdownService {
  return {
    analyse: (...request) => service.analyse(...request),
    writeBlock: (...request) => service.writeBlock(...request),
    edit: (...request) => service.edit(...request),
    view: (request) => service.view(request),
    headings: (text) => service.headings(text),
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
