import type { Command } from 'commander'
import { openApiDocument } from '../../contract/openapi.ts'
import { ContractFault, resolveContract } from '../../contract/resolve-contract.ts'
import { newCommand } from '../new-command.ts'
import { readObjectFile } from '../read-file.ts'
import { usageFault } from '../usage-fault.ts'

export function command(): Command {
  return newCommand('openapi')
    .description('Prints the merchant API as an OpenAPI 3.1 document, by the contract in force.')
    .option('--contract <file>', 'with the overrides of this file')
    .option('--server <url>', 'the address to put into the document', 'http://127.0.0.1:7297')
    .addHelpText('after', '\nExamples:\n  paysim openapi > merchant-api.json')
    .action(print)
}

async function print({ contract: file, server }: { contract?: string; server: string }): Promise<void> {
  try {
    const contract = resolveContract(file === undefined ? {} : await readObjectFile(file))
    process.stdout.write(`${JSON.stringify(openApiDocument(contract, server), null, 2)}\n`)
  } catch (fault) {
    if (!(fault instanceof ContractFault)) throw fault
    usageFault('openapi', fault.message)
  }
}
