/** The YAML library is loaded when it is first needed. */
const library = () => import('yaml')

/** Formats data as people write it: the parts of a rule go on one line if they fit. */
export async function toYaml(value: unknown, { narrow = false } = {}): Promise<string> {
  const { Document, isPair, visit } = await library()
  const document = new Document(value)
  if (!narrow)
    visit(document, {
      Map(_, map, path) {
        if (path.some(isPair)) map.flow = true
      },
    })
  return document.toString({ lineWidth: narrow ? 0 : 110 })
}

export async function fromYaml(text: string): Promise<unknown> {
  const { parse } = await library()
  return parse(text)
}
