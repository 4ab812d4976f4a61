import type { RequestOptions } from './http-client.ts'

/** A multipart form as a browser sends it. @param fields without a `filename` are plain text */
export async function uploadForm(
  ...fields: [field: string, content: string | Uint8Array, filename?: string, type?: string][]
): Promise<RequestOptions> {
  const form = new FormData()
  for (const [field, content, filename, type] of fields) {
    if (filename === undefined) form.append(field, content as string)
    else form.append(field, new Blob([content as string], type === undefined ? {} : { type }), filename)
  }
  const sent = new Response(form)
  return {
    body: new Uint8Array(await sent.arrayBuffer()),
    headers: { 'Content-Type': sent.headers.get('content-type')! },
  }
}
