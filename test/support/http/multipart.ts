export interface Part {
  name: string
  content: Uint8Array | string
  /** If present, the part is a file; otherwise it is a plain field. */
  filename?: string
  type?: string
}

interface MultipartBody {
  raw: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

/** Builds multipart/form-data by hand, so that a test controls the boundary and every byte. */
export function multipart(parts: Part[], boundary = 'paysim-probe-boundary'): MultipartBody {
  const chunks: Uint8Array[] = []
  for (const part of parts) {
    const filename = part.filename === undefined ? '' : `; filename="${part.filename}"`
    const type = part.type === undefined ? '' : `Content-Type: ${part.type}\r\n`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"${filename}\r\n${type}\r\n`
    chunks.push(Buffer.from(head), Buffer.from(part.content), Buffer.from('\r\n'))
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return {
    raw: new Uint8Array(Buffer.concat(chunks)),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

export function imageFile(content: Uint8Array, changes: Partial<Part> = {}): Part {
  return { name: 'file', filename: 'slip.png', type: 'image/png', content, ...changes }
}
