import type { Connection } from '../../data/database.ts'
import { answeredRequestsTable } from '../../data/tables/answered-requests.ts'
import { asksTable } from '../../data/tables/asks.ts'
import { commentsTable } from '../../data/tables/comments.ts'
import { countsQueries } from '../../data/tables/counts.ts'
import { documentMovesTable } from '../../data/tables/document-moves.ts'
import { documentTitlesTable } from '../../data/tables/document-titles.ts'
import { documentsTable } from '../../data/tables/documents.ts'
import { eventLog } from '../../data/tables/event-log.ts'
import { eventsTable } from '../../data/tables/events.ts'
import { folderMovesTable } from '../../data/tables/folder-moves.ts'
import { formerNamesTable } from '../../data/tables/former-names.ts'
import { formerPagesTable } from '../../data/tables/former-pages.ts'
import { inboxTable } from '../../data/tables/inbox.ts'
import { journalTable } from '../../data/tables/journal.ts'
import { lastVisitsTable } from '../../data/tables/last-visits.ts'
import { linkContexts } from '../../data/tables/link-contexts.ts'
import { linkPreviewsTable } from '../../data/tables/link-previews.ts'
import { linksTable } from '../../data/tables/links.ts'
import { liveTextsTable } from '../../data/tables/live-texts.ts'
import { mailOutboxTable } from '../../data/tables/mail.ts'
import { messagesTable } from '../../data/tables/messages.ts'
import { mountLocksTable } from '../../data/tables/mount-locks.ts'
import { noticesTable } from '../../data/tables/notices.ts'
import { notificationSettingsTable } from '../../data/tables/notification-settings.ts'
import { passkeysTable } from '../../data/tables/passkeys.ts'
import { pinnedMessagesTable } from '../../data/tables/pinned-messages.ts'
import { projectGoalsTable } from '../../data/tables/project-goals.ts'
import { projectLinksTable } from '../../data/tables/project-links.ts'
import { pullRequestsTable } from '../../data/tables/pull-requests.ts'
import { pushQueueTable, pushSubscriptionsTable } from '../../data/tables/push.ts'
import { reactionsTable } from '../../data/tables/reactions.ts'
import { renderedDocumentsTable } from '../../data/tables/rendered-documents.ts'
import { repositoriesTable } from '../../data/tables/repositories.ts'
import { revisionWritersTable } from '../../data/tables/revision-writers.ts'
import { revisionsTable } from '../../data/tables/revisions.ts'
import { roomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import { runningTimeTable } from '../../data/tables/running-time.ts'
import { scratchFilesTable } from '../../data/tables/scratch-files.ts'
import { searchTable } from '../../data/tables/search.ts'
import { secretsTable } from '../../data/tables/secrets.ts'
import { sessionsTable } from '../../data/tables/sessions.ts'
import { skillVersionsTable } from '../../data/tables/skill-versions.ts'
import { skillsTable } from '../../data/tables/skills.ts'
import { trashedFilesTable } from '../../data/tables/trashed-files.ts'
import { uploadedFilesTable } from '../../data/tables/uploaded-files.ts'
import { usageTables } from '../../data/tables/usage.ts'
import { workspaceTable } from '../../data/tables/workspace.ts'

export const openTables = (db: Connection) => ({
  answeredRequests: answeredRequestsTable(db),
  asks: asksTable(db),
  comments: commentsTable(db),
  documentMoves: documentMovesTable(db),
  documents: documentsTable(db),
  documentTitles: documentTitlesTable(db),
  folderMoves: folderMovesTable(db),
  formerNames: formerNamesTable(db),
  formerPages: formerPagesTable(db),
  goals: projectGoalsTable(db),
  inboxRows: inboxTable(db),
  journal: journalTable(db),
  linkPreviews: linkPreviewsTable(db),
  lastVisits: lastVisitsTable(db),
  links: linksTable(db),
  liveTexts: liveTextsTable(db),
  log: eventLog(db),
  loggedEvents: eventsTable(db),
  measures: countsQueries(db),
  messages: messagesTable(db),
  mountLocks: mountLocksTable(db),
  notices: noticesTable(db),
  notificationSettings: notificationSettingsTable(db),
  outbox: mailOutboxTable(db),
  passkeys: passkeysTable(db),
  projectLinks: projectLinksTable(db),
  pullRequests: pullRequestsTable(db),
  pushQueue: pushQueueTable(db),
  pushSubscriptions: pushSubscriptionsTable(db),
  pinnedMessages: pinnedMessagesTable(db),
  reactions: reactionsTable(db),
  renderedDocuments: renderedDocumentsTable(db),
  repositories: repositoriesTable(db),
  revisions: revisionsTable(db),
  revisionWriters: revisionWritersTable(db),
  roomAttachments: roomAttachmentsTable(db),
  runningTime: runningTimeTable(db),
  scratchFiles: scratchFilesTable(db),
  linkContexts: linkContexts(db),
  search: searchTable(db),
  secrets: secretsTable(db),
  sessions: sessionsTable(db),
  skills: skillsTable(db),
  skillVersions: skillVersionsTable(db),
  trashedFiles: trashedFilesTable(db),
  uploadedFiles: uploadedFilesTable(db),
  usage: usageTables(db),
  workspace: workspaceTable(db),
})
