import { fetchPage, insert, morph, onRender } from '../live.ts'

/** How far below the window parts are fetched ahead. */
const margin = '1500px'

export function loadParts(nav: HTMLElement): void {
  const loaded = document.createElement('div')
  nav.before(loaded)
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (entry?.isIntersecting) void loadNext()
    },
    { rootMargin: margin },
  )
  observer.observe(nav)

  let isLoading = false
  async function loadNext(): Promise<void> {
    if (isLoading) return
    isLoading = true
    const part = await fetchPart(nav, Number(nav.dataset.next))
    isLoading = false
    if (!part) return
    insert(loaded, part)
    updateCount(nav, part)
    // Observing again reports the nav at once if it is still near the window.
    observer.unobserve(nav)
    if (!isComplete(nav)) observer.observe(nav)
  }

  refreshWith(nav, loaded)
  followAnchors(nav)
}

async function fetchPart({ dataset }: HTMLElement, part: number): Promise<HTMLElement | null> {
  if (part > Number(dataset.count)) return null
  const { page = location.pathname, revision } = dataset
  const query = new URLSearchParams({ fragment: String(part), ...(revision !== undefined && { revision }) })
  const fetchedPage = await fetchPage(`${page}?${query}`)
  return fetchedPage?.fetched.querySelector<HTMLElement>('section.part') ?? null
}

const isComplete = ({ dataset }: HTMLElement) => Number(dataset.next) > Number(dataset.count)

function updateCount(nav: HTMLElement, { dataset }: HTMLElement): void {
  nav.dataset.count = dataset.count
  nav.dataset.next = String(Number(dataset.part) + 1)
  const link = nav.querySelector<HTMLAnchorElement>('a[rel="next"]')
  if (link) {
    const url = new URL(link.href)
    url.searchParams.set('part', nav.dataset.next)
    link.href = url.pathname + url.search
    link.hidden = isComplete(nav)
  }
  nav.querySelector('.hint')!.textContent = `Part ${dataset.part} of ${dataset.count}`
}

function refreshWith(nav: HTMLElement, loaded: HTMLElement): void {
  const currentRevision = () => document.getElementById('prose')?.dataset.revision
  let revision = currentRevision()
  onRender(() => {
    if (currentRevision() === revision) return
    revision = currentRevision()
    void refresh()
  })

  async function refresh(): Promise<void> {
    for (const current of [...loaded.querySelectorAll<HTMLElement>(':scope > .part')]) {
      const part = await fetchPart(nav, Number(current.dataset.part))
      // A part number beyond the end returns the last part.
      if (!part || part.id !== current.id) current.remove()
      else morph(current, part)
      if (part) updateCount(nav, part)
    }
  }
}

/** The server finds headings that are in parts not yet loaded. */
function followAnchors(nav: HTMLElement): void {
  const idIn = (hash: string) => decodeURIComponent(hash.slice(1))
  const find = () => {
    const id = idIn(location.hash)
    if (id === '' || document.getElementById(id)) return
    const { page = location.pathname, revision } = nav.dataset
    const query = new URLSearchParams({ find: id, ...(revision !== undefined && { revision }) })
    location.replace(`${page}?${query}`)
  }
  addEventListener('hashchange', find)
  find()
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('.outline a, .contents a')
    if (!link?.hash || !document.getElementById(idIn(link.hash))) return
    event.preventDefault()
    location.hash = link.hash
  })
}
