const HEAD = `# Through how many files a call goes

\`npm run walks -- --write\` writes this page: the files of \`src/\` of which at least one function ran, as V8 counts them.
Each walk is made twice in one process, and counted the second time, so neither the start nor what is loaded late is in
it. The code of dependencies is not counted.

A reader of one call reads so many files, so a change that adds one to a walk needs a reason.
`

/** The figures as a table, then each walk with its files by folder. */
export function walksPage(walks) {
  const rows = walks.map(({ name, what, files }) => `| ${name} | ${what} | ${files.length} |`)
  const lists = walks.map(({ name, files }) => {
    const folders = new Map()
    for (const file of files) folders.set(folderOf(file), [...(folders.get(folderOf(file)) ?? []), file])
    const lines = [...folders].map(
      ([folder, some]) => `- \`src/${folder}\`: ${some.map(file => file.slice(folder.length)).join(', ')}`,
    )
    return `## ${name[0].toUpperCase()}${name.slice(1)}\n\n${lines.join('\n')}\n`
  })
  return `${HEAD}\n| walk | from where to where | files |\n|---|---|---|\n${rows.join('\n')}\n\n${lists.join('\n')}`
}

const folderOf = file => file.slice(0, file.lastIndexOf('/') + 1)
