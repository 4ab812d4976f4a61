import { callOnSubmit } from './call.ts'
import { beatWhileVisible } from './heartbeat.ts'
import { keepForms } from './kept-forms.ts'
import { helpWithKeys } from './keys-help.ts'
import { followLive, onShown } from './live.ts'
import { offerMentions } from './mentions.ts'
import { closeMenus } from './menus.ts'
import { showCurrentTab } from './tabs.ts'
import { warnOfUnreached } from './unreached.ts'
import { countInTitle } from './unread-title.ts'

/** Modules that few pages need, each loaded where an element asks for it. */
const lazily: Record<string, () => Promise<{ start(element: HTMLElement): void }>> = {
  board: () => import('./board/board.ts'),
  goal: () => import('./plan/goal.ts'),
  card: () => import('./board/card.ts'),
  room: () => import('./rooms/room.ts'),
  'by-id': () => import('./rooms/by-id.ts'),
  document: () => import('./documents/document.ts'),
  editor: () => import('./editor/editor.ts'),
  upload: () => import('./upload.ts'),
  copy: () => import('./copy.ts'),
  finder: () => import('./finder.ts'),
}

callOnSubmit()
keepForms()
helpWithKeys()
closeMenus()
showCurrentTab()
beatWhileVisible()
countInTitle()
onShown((within) => {
  for (const field of within.querySelectorAll<HTMLTextAreaElement>('textarea[data-mentions]'))
    offerMentions(field)
  for (const field of within.querySelectorAll<HTMLTextAreaElement>('textarea[data-unreached]'))
    warnOfUnreached(field)
})
for (const [name, load] of Object.entries(lazily)) {
  for (const element of document.querySelectorAll<HTMLElement>(`[data-module="${name}"]`)) {
    void load().then(({ start }) => start(element))
  }
}
void followLive()
