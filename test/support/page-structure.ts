import type { Page } from 'playwright-core'
import { bidi } from './hostile-sample.ts'

export interface PageStructure {
  headings: string[]
  title: string
  landmarks: string[]
  /** Anything harmful, each as a line. */
  harm: string[]
}

export const pageStructure = (page: Page): Promise<PageStructure> =>
  page.evaluate<PageStructure>(`(() => {
    const harm = 'hacked' in globalThis ? ['a hostile text ran'] : []
    const say = (element, what) => harm.push(what + ': ' + element.outerHTML.slice(0, 200))
    for (const element of document.body.querySelectorAll('*')) {
      const names = element.getAttributeNames()
      if (names.some((name) => /^on/.test(name))) say(element, 'would run')
      for (const name of names.filter((one) => /href$|^(?:src|action|formaction|poster|srcset|data)$/.test(one))) {
        const { protocol } = new URL(element.getAttribute(name), document.baseURI)
        const isPicture = element.localName === 'img' && ['data:', 'blob:'].includes(protocol)
        if (!isPicture && !['http:', 'https:', 'mailto:'].includes(protocol)) say(element, 'leads to what runs')
      }
      for (const name of names.filter((one) => /^(?:title|data-confirm)$/.test(one))) {
        const words = element.getAttribute(name)
        const apart = words.replace(/\\u2068[^\\u2068\\u2069]*\\u2069/g, '')
        if (apart.includes(${JSON.stringify(bidi)}) && !element.textContent.includes(words))
          say(element, 'turns the text after it in ' + name)
      }
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const holder = text.parentElement
      const words = text.data.replace(/\\u2068[^\\u2068\\u2069]*\\u2069/g, '')
      if (!words.includes(${JSON.stringify(bidi)}) || holder.closest('option, noscript, .unseen, .cm-content')) continue
      let around = holder
      while (!/isolate|plaintext/.test(getComputedStyle(around).unicodeBidi)) around = around.parentElement
      const isAlone = around.matches('bdi, .cm-completionLabel') || around.textContent.trim() === text.data.trim()
      if (!isAlone && around.dir !== 'auto') say(holder, 'turns the text beside it')
    }
    return {
      // A heading in a preview belongs to the edited text.
      headings: [...document.querySelectorAll('h1:not(.editor-preview *)')].map((one) => one.textContent.trim()),
      title: document.title,
      landmarks: ['header', 'nav', 'main'].filter((name) => document.querySelector(name)),
      harm,
    }
  })()`)

/** In pixels; positive if the page is wider than its window. */
export const overflowWidth = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

/** The inline scripts, styles and handlers in HTML as it was sent, each as a line. Nothing of it runs. */
export const policyViolations = (page: Page, html: string): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const { documentElement } = new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html')
    return [...documentElement.querySelectorAll('*')].filter((element) =>
      (element.localName === 'script' && (!element.hasAttribute('src') || element.textContent !== '')) ||
      element.localName === 'style' ||
      element.getAttributeNames().some((name) => name === 'style' || name === 'srcdoc' || /^on/.test(name)))
      .map((element) => element.outerHTML.slice(0, 200))
  })()`)

export interface ScriptlessPage {
  /** The number of visible main headings; on a phone, a thread's heading hides that of its room. */
  headings: number
  beyond: number
  /** Visible buttons that do nothing, each as a line. */
  idle: string[]
  /** Whether it visibly says that parts of it need script. */
  hasNotice: boolean
}

export const scriptlessPage = (page: Page): Promise<ScriptlessPage> =>
  page.evaluate<ScriptlessPage>(`(() => {
    const inSight = (selector) => [...document.querySelectorAll(selector)].filter((one) =>
      one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 0)
    const does = (button) => button.disabled || button.hasAttribute('popovertarget') ||
      (button.form && button.type === 'submit' && button.form.method !== 'dialog') ||
      (button.form && button.type === 'reset')
    return {
      headings: inSight('h1, .thread h2').length,
      beyond: document.documentElement.scrollWidth - innerWidth,
      idle: inSight('button, [role="button"]').filter((one) => !does(one)).map((one) => one.outerHTML.slice(0, 200)),
      hasNotice: inSight('noscript *').some((one) => /JavaScript|scripts/.test(one.textContent)),
    }
  })()`)

export const parseContentPolicy = (header: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (header ?? '').split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/)
      return [name, sources.join(' ')]
    }),
  )
