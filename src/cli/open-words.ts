/** For a flag that takes words with commas between them, and may be given again. */
export const words = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== ''),
]
