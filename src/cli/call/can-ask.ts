/** Whether a person sits here who may be asked: prompts go to stderr, so stdout may well be a pipe. */
export const canAsk = ({ input }: { readonly input: boolean }): boolean =>
  input && process.stdin.isTTY === true && process.stderr.isTTY === true
