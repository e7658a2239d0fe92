/** Something the caller has to put right: one line, exit code 2. */
export function usageFault(command: string, message: string): void {
  process.stderr.write(`paysim ${command}: ${message}\n`)
  process.exitCode = 2
}
