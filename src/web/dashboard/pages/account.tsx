import type { KeyPairRecord } from '../../../contract/control/merchants.ts'
import { addressOfCall, call } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Copyable, Secret } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { useQuestion } from '../ui/dialog.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Facts, Panel, Table } from '../ui/panel.tsx'

/** The account's merchant and keys. */
export function AccountPage({ account }: { account: string }) {
  const merchantId = account.replace(/\.(test|live)$/, '')
  const merchant = useLive('GET /merchants/:id', { params: { id: merchantId } })
  const question = useQuestion()
  const reset = async () => {
    await call('POST /accounts/:account/reset', { params: { account } })
    toast('The account is empty; its keys are the same')
  }
  return (
    <Page
      title="Account"
      actions={
        <>
          <a
            class="button plain"
            href={addressOfCall('GET /accounts/:account/export', { params: { account } })}
            download={`${account}.json`}
          >
            Export
          </a>
          <Button
            tone="danger"
            onPress={() =>
              question.ask({
                title: `Reset ${account}`,
                text: 'This permanently deletes all its payments, payouts, webhooks and requests. It keeps its keys and the rules that it was created with.',
                action: 'Reset',
                onYes: reset,
              })
            }
          >
            Reset…
          </Button>
        </>
      }
    >
      <Panel title="Merchant">
        <Ready of={merchant}>
          {({ name, id, checkout_modes }) => (
            <Facts
              facts={[
                ['Name', name],
                ['ID', id],
                ['Account', account],
                ['Team policy allows', checkout_modes.join(', ') || 'none'],
              ]}
            />
          )}
        </Ready>
      </Panel>
      <Keys account={account} />
      {question.dialog}
    </Page>
  )
}

function Keys({ account }: { account: string }) {
  const params = { account }
  const keys = useLive('GET /accounts/:account/keys', { params })
  const question = useQuestion()
  const add = async () => {
    await call('POST /accounts/:account/keys', { params })
    keys.reload()
  }
  const revoke = async (key: string) => {
    await call('DELETE /accounts/:account/keys/:key', { params: { account, key } })
    toast('Revoked: the next request with it is refused')
    keys.reload()
  }
  const askToRevoke = (key: string, isLast: boolean) =>
    question.ask({
      title: 'Revoke a key pair',
      text: `The next request with ${key} is refused. A revoked key cannot be restored. ${
        isLast
          ? 'It is the last one: without another, nobody can call the merchant API.'
          : 'The other keys stay as they are.'
      }`,
      action: 'Revoke',
      onYes: () => revoke(key),
    })
  return (
    <Panel
      title="API keys"
      flush
      aside={
        <Button icon="plus" onPress={add}>
          Add a key pair
        </Button>
      }
    >
      <Ready of={keys}>
        {({ data }) => (
          <Table<KeyPairRecord>
            caption="API keys"
            rows={data}
            keyOf={({ public_key }) => public_key}
            columns={[
              {
                title: 'Public key',
                cell: ({ public_key }) => <Copyable text={public_key} what="the public key" />,
              },
              {
                title: 'Secret key',
                cell: ({ secret_key }) => <Secret text={secret_key} what="the secret key" />,
              },
              {
                title: 'Actions',
                hiddenTitle: true,
                align: 'end',
                cell: ({ public_key }) => (
                  <Button tone="danger" onPress={() => askToRevoke(public_key, data.length === 1)}>
                    Revoke…
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Ready>
      {question.dialog}
    </Panel>
  )
}
