import type { Sample, SamplePeople } from './sample-workspace.ts'

export interface SamplePage {
  name: string
  path: string
  /** Its reader; default Ada, the owner. `null` means signed out. */
  as?: keyof SamplePeople | null
  status?: number
  /** Whether it has no sidebar, also for members. */
  isAlone?: true
  /** Whether its screenshot shows the window alone, not the whole page. */
  isWindowOnly?: true
  /** Other members who have its text open, each with a selection. */
  coEditors?: readonly (keyof SamplePeople)[]
}

/** Every page of the app with content. A test fails for a route without a page here. */
export function samplePages({ ids, people }: Sample): SamplePage[] {
  const project = '/projects/harbour'
  const document = `${project}/docs/onboarding`
  const card = `${project}/board/1`
  return [
    { name: 'home', path: '/' },
    { name: 'home-of-newcomer', path: '/', as: 'nora' },
    { name: 'inbox', path: '/inbox' },
    { name: 'search', path: '/search?q=tide' },
    { name: 'search-nothing', path: '/search?q=zeppelin' },
    { name: 'members', path: '/members' },
    { name: 'member', path: `/members/${people.grace.member.id}` },
    { name: 'agent', path: `/members/${people.reviewer.member.id}` },
    { name: 'member-seen-by-another', path: `/members/${people.ada.member.id}`, as: 'linus' },
    { name: 'invites', path: '/invites' },
    { name: 'usage', path: '/usage' },
    { name: 'account', path: '/account' },
    { name: 'keys', path: '/account/keys' },
    { name: 'passkeys', path: '/account/passkeys' },
    { name: 'notifications', path: '/account/notifications' },
    { name: 'sessions', path: '/account/sessions' },
    { name: 'rooms', path: '/rooms' },
    { name: 'room', path: `/rooms/${ids.release}`, isWindowOnly: true },
    { name: 'thread', path: `/rooms/${ids.release}?thread=${ids.thread}`, isWindowOnly: true },
    { name: 'room-pins', path: `/rooms/${ids.release}/pins` },
    { name: 'room-settings', path: `/rooms/${ids.release}/settings` },
    { name: 'room-closed', path: `/rooms/${ids.founders}`, isWindowOnly: true },
    { name: 'room-direct', path: `/rooms/${ids.direct}`, isWindowOnly: true },
    { name: 'room-not-joined', path: `/rooms/${ids.lunch}` },
    { name: 'projects', path: '/projects' },
    { name: 'project', path: project },
    { name: 'posts', path: `${project}/posts` },
    { name: 'post', path: ids.postPath },
    { name: 'drafts', path: `${project}/drafts` },
    { name: 'draft', path: `${project}/drafts/what-comes-next` },
    { name: 'documents', path: `${project}/docs` },
    { name: 'document', path: document },
    { name: 'activity', path: `${card}?activity` },
    { name: 'choose-block', path: `${document}?about` },
    { name: 'history', path: `${document}?history` },
    { name: 'revision', path: `${document}?revision=${ids.oldRevision}` },
    { name: 'differences', path: `${document}?diff=${ids.oldRevision}` },
    {
      name: 'edit-document',
      path: `${project}/edit/docs/onboarding`,
      coEditors: ['grace', 'linus', 'mira'],
      isWindowOnly: true,
    },
    { name: 'edit-draft', path: `${project}/edit/drafts/what-comes-next` },
    { name: 'edit-card', path: `${project}/edit/board/1` },
    { name: 'edit-home', path: `${project}/edit` },
    { name: 'edit-post', path: ids.postPath.replace('/posts/', '/edit/posts/') },
    { name: 'new', path: `${project}/new` },
    { name: 'new-document', path: `${project}/new?kind=document` },
    { name: 'new-post', path: `${project}/new?kind=post` },
    { name: 'new-card', path: `${project}/new?kind=card&column=02-todo` },
    { name: 'board', path: `${project}/board` },
    { name: 'card', path: card },
    { name: 'question', path: `${project}/board/7` },
    { name: 'plan', path: `${project}/plan` },
    { name: 'map', path: `${project}/map` },
    { name: 'asks', path: `${project}/asks` },
    { name: 'links', path: `${project}/links` },
    { name: 'files', path: `${project}/files` },
    { name: 'repositories', path: `${project}/repositories` },
    { name: 'repository', path: `${project}/repositories/app` },
    { name: 'code', path: `${project}/repositories/app/src/tides.ts` },
    { name: 'pulls', path: `${project}/pulls` },
    { name: 'pull', path: `${project}/pulls/31` },
    { name: 'skills', path: `${project}/skills` },
    { name: 'skill', path: `${project}/skills/release-notes` },
    { name: 'skill-file', path: `${project}/skills/release-notes/scripts/run.sh` },
    { name: 'trash', path: `${project}/trash` },
    { name: 'project-settings', path: `${project}/settings` },
    { name: 'project-not-in', path: '/projects/lighthouse' },
    { name: 'project-settings-not-in', path: '/projects/lighthouse/settings' },
    { name: 'project-seen-by-an-agent', path: project, as: 'scout' },
    { name: 'help', path: '/help' },
    { name: 'help-api', path: '/help/api', isWindowOnly: true },
    { name: 'help-api-subject', path: '/help/api/rooms', as: null, isWindowOnly: true },
    { name: 'help-api-models', path: '/help/api/models', isWindowOnly: true },
    { name: 'help-page', path: '/help/operations', isWindowOnly: true },
    { name: 'help-signed-out', path: '/help/interface', as: null, isWindowOnly: true },
    { name: 'signin', path: '/signin', as: null },
    { name: 'welcome', path: '/welcome', isAlone: true },
    { name: 'join', path: '/join?invite=7QK2-M9XA-3TVD', as: null },
    { name: 'signin-dead-link', path: '/signin/nothing', as: null, status: 404 },
    { name: 'unsubscribe-dead-link', path: '/unsubscribe/nothing', as: null, status: 404 },
    { name: 'not-found', path: '/nothing', status: 404 },
    { name: 'forbidden', path: '/usage', as: 'linus', status: 403 },
  ]
}
