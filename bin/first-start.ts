export const welcomeText = (home: string, owner: string, key: string): string =>
  `Welcome to Workroom. Your workspace is in ${home}, owned by ${owner}.

The owner's key (shown only once):

  ${key}
`

/** Added where the folder held projects but no database. */
export const ingestedText = (projects: number, documents: number): string =>
  `
Existing projects were imported under new ids:
${projects} ${projects === 1 ? 'project' : 'projects'}, ${documents} ${documents === 1 ? 'document' : 'documents'}.
`

/** Printed when a lost database was restored from a snapshot. */
export const restoredText = (atMs: number, { kept, added }: { kept: number; added: number }): string =>
  `
The database was missing. Its daily snapshot of ${new Date(atMs).toISOString()} has been restored: members, keys
and rooms are as of then; later changes to files have been imported. Documents that kept their ids: ${kept}.
Documents with new ids: ${added}.
`

export const signInText = (url: string): string =>
  `
Open it in a browser. This link signs the owner in, once, within 24 hours:

  ${url}
`

export function exampleText(url: string, key: string): string {
  const authorization = `-H 'Authorization: Bearer ${key}'`
  const welcome = `${url}/v1/fs/projects/general/docs/welcome.md`
  return `
Read the welcome document:

  curl ${authorization} ${welcome}

Change it, by adding a line:

  (curl -s ${authorization} ${welcome}; printf '\\nHello from curl.\\n') | curl -X PUT ${authorization} --data-binary @- ${welcome}

List your projects:

  curl ${authorization} ${url}/v1/fs/projects

`
}
