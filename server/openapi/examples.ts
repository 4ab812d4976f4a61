/** A program would have read these ids in earlier responses. */
export const exampleIds = {
  memberId: 'mem_01kbaxvm3h6t8w2y4z5n7q9r0s',
  messageId: 'msg_01kbaxvm3h6t8w2y4z5n7q9r1t',
  commentId: 'cmt_01kbaxvm3h6t8w2y4z5n7q9r2v',
  roomId: 'room_01kbaxvm3h6t8w2y4z5n7q9r3w',
}

export const exampleRevision = '3f786850e387550fdab8'
export const exampleInvite = 'F7QK-2M9X-PT4W'
export const exampleSource = 'https://code.example/boats.git'
export const exampleFile = 'Low tide is at noon.\n'

const { memberId, messageId, commentId, roomId } = exampleIds

const edits = { edits: [{ find: 'on Monday', replace: 'on Tuesday' }], expectedRevision: exampleRevision }
const restored = { revision: exampleRevision }
const presence = { kind: 'viewing' }
const comment = { body: 'Well said.' }
const markdown = '# Opening hours\n\nWe are open on Monday.\n'
const post = { title: 'We are open', body: 'From Monday on.' }
const skill = { project: 'general', name: 'tidy-up', expectedVersion: 0, expectedDraftRevision: 0 }
const card = '---\npriority: high\n---\n\n# Paint the door\n\nWe begin on Monday.\n'

/** Request bodies by operation. A test sends each of them. */
export const examples: Readonly<Record<string, unknown>> = {
  createAsk: { project: 'general', title: 'Which colour?', options: ['Red', 'Blue'], roomId },
  setAskAssignees: { assignees: [memberId] },
  resolveAsk: { resolution: 'Painted it red.' },
  markMentionsRead: { ids: [messageId] },
  createInvite: { role: 'member', type: 'human', uses: 3, projects: ['general'] },
  createMember: { name: 'Scribe', type: 'agent', description: 'Keeps the minutes' },
  updateMember: { statusText: 'In the workshop' },
  createMemberKey: { label: 'Laptop', scopes: ['rooms:read', 'rooms:write'] },
  setMemberWebhook: { url: 'https://agents.example/wake', events: ['mention', 'reply'] },
  sendHeartbeat: { roomId },
  createRoom: { name: 'Workshop', type: 'open', description: 'What is being built' },
  updateRoom: { description: 'What is built and mended' },
  setRoomInvolvement: { involvement: 'mentions' },
  setRoomSidebar: { favourite: true, section: 'Harbour' },
  addRoomMember: { memberId },
  postMessage: { body: `@[Helper](${memberId}) please have a look.` },
  editMessage: { body: 'Please have a look tomorrow.' },
  markRoomRead: { messageId },
  markRoomUnread: { messageId },
  startTyping: { ttlSeconds: 30 },
  updateWorkspace: { name: 'Harbour' },
  createDocumentComment: { body: 'Is this up to date?', parentId: commentId },
  updateDocumentComment: comment,
  createPostComment: comment,
  updatePostComment: comment,
  createTreeProject: { name: 'Boathouse' },
  writeTreeReadme: '# Welcome\n\nWe meet on Monday.\n',
  editTreeReadme: edits,
  restoreTreeReadme: restored,
  writeTreeCard: card,
  editTreeCard: edits,
  moveTreeCard: { toColumn: 'in-progress' },
  restoreTreeCard: restored,
  writeTreeDoc: markdown,
  editTreeDoc: edits,
  moveTreeDoc: { toFolder: 'guides' },
  createTreeDocPresence: presence,
  restoreTreeDoc: restored,
  writeTreeLibraryDocument: markdown,
  editTreeLibraryDocument: edits,
  moveTreeLibraryDocument: { toFolder: 'guides' },
  createTreeLibraryDocumentPresence: presence,
  restoreTreeLibraryDocument: restored,
  writeTreeDraft: markdown,
  editTreeDraft: edits,
  restoreTreeDraft: restored,
  writeTreePost: markdown,
  writeTreeLinks: '- [Tide tables](https://tides.example/): for today\n',
  writeTreePlan: '## the goal\n\nOpen the boathouse by May.\n',
  markInboxRead: {},
  updateInboxSettings: { mail: ['mention', 'ask'], quietFrom: '22:00', quietUntil: '07:00' },
  createInboxDevice: {
    endpoint: 'https://push.example/send/f7qk2m9x',
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  updateInboxDevice: { kinds: ['mention', 'direct'], sound: false },
  onboard: { invite: exampleInvite, name: 'Grace' },
  takeWakes: { wait: 0, limit: 5 },
  answerWake: { body: 'I have had a look.' },
  createPost: { project: 'general', ...post },
  createProjectPost: { ...post, isDraft: true },
  createProject: { name: 'Boathouse' },
  updateProject: { name: 'The boathouse' },
  addProjectMember: { memberId, role: 'lead' },
  createRepository: { dir: 'boats', source: exampleSource },
  saveSkill: {
    ...skill,
    files: { 'SKILL.md': '---\nname: tidy-up\ndescription: Tidies up\n---\n\n# Tidy up\n' },
  },
  publishSkill: { ...skill, expectedDraftRevision: 1 },
}
