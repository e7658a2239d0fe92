<?php

/** What the client in PHP can do, with PHPUnit. */

declare(strict_types=1);

use Paysim\Account;
use Paysim\ConnectionException;
use Paysim\PaysimAccount;
use Paysim\PaysimException;
use Paysim\Simulator;
use Paysim\WebhookException;
use PHPUnit\Framework\TestCase;

final class SuiteTest extends TestCase
{
    use PaysimAccount;

    private const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

    public function testCallsOfTheMerchantApi(): void
    {
        $account = $this->paysimAccount();
        $merchant = $account->merchant;
        $options = $merchant->listPaymentMethods(amount: '25000', country: 'TH', currency: 'THB');
        $this->assertContains('th_promptpay', array_column($options->methods, 'code'));

        $id = self::create($account, ['idempotency_key' => 'key-1']);
        $this->assertSame($id, self::create($account, ['idempotency_key' => 'key-1']));
        $merchant->cancelPayment($id);
        $account->confirmCancelPayment($id);
        $this->assertContains($merchant->getPayment($id)->status, ['failed', 'expired']);

        foreach (['a', 'b & c'] as $reference) {
            $account->createPayout(
                amount: '100',
                currency: 'THB',
                country: 'TH',
                merchant_reference: $reference,
                recipient: ['bank_code' => 'bbl', 'holder_name' => 'A', 'account_number' => '1234'],
            );
        }
        $page = $merchant->listPayouts(limit: 1, status: ['requires_approval', 'failed']);
        $this->assertSame([true, 'b & c'], [$page->has_more, $page->data[0]->merchant_reference]);
        $cancelled = $merchant->cancelPayout($page->data[0]->id, reason: 'typing error');
        $this->assertEquals([$cancelled], $merchant->listPayouts(merchant_reference: 'b & c')->data);
    }

    public function testReceiptsOfTheMerchantAndOfThePayer(): void
    {
        $account = $this->paysimAccount(rules: [['receipt' => [['verdict' => 'reject'], ['verdict' => 'accept']]]]);
        $png = base64_decode(self::PNG);
        $id = self::create($account, [
            'payment_method' => 'th_bank_transfer',
            'payment_method_options' => ['bank' => 'bbl'],
            'customer' => ['name' => 'A'],
        ]);
        $this->assertSame('processing', $account->merchant->submitReceipt($id, file: $png)->receipt->status);
        $account->advanceClock(until: 'idle', max: '1m');
        $this->assertSame('rejected', $account->merchant->getPayment($id)->receipt->status);
        $asset = $account->uploadAsset($png, kind: 'payment_receipt');
        $this->assertSame($png, $account->readImage($asset->digest));
        $account->merchant->submitReceipt($id, asset_id: $asset->id);

        $other = self::create($account, ['checkout_mode' => 'hosted', 'payment_method' => null]);
        $account->chooseMethod($other, method: 'th_bank_transfer', bank: 'bbl', customer_name: 'A');
        $this->assertSame('rejected', $account->sendReceipt($other, $png)->receipt->status);
        $this->expectExceptionMessage('422 invalid_state');
        $account->returnToShop($other);
    }

    public function testFaultsAndRefusals(): void
    {
        $account = $this->paysimAccount();
        $fault = ['on' => 'GET /payment_intents/:id', 'times' => 1];
        $account->replaceFaults([
            [...$fault, 'type' => 'status', 'status' => 503],
            [...$fault, 'type' => 'garbage'],
            [...$fault, 'type' => 'reset'],
        ]);
        $id = self::create($account);
        $read = fn () => $account->merchant->getPayment($id);
        $this->assertSame(503, self::thrown($read)->status);
        $this->assertInstanceOf(PaysimException::class, self::thrown($read));
        $this->assertInstanceOf(ConnectionException::class, self::thrown($read));
        $account->clearFaults();

        $refused = self::thrown(fn () => self::create($account, ['amount' => '-1', 'country' => 'th']));
        $this->assertEqualsCanonicalizing(['amount', 'country'], array_column($refused->details, 'field'));
        foreach (['..', '.', 'a/b', 'ä ?#%'] as $strange) {
            $unknown = self::thrown(fn () => $account->merchant->getPayment($strange));
            $this->assertSame([404, 'not_found'], [$unknown->status, $unknown->errorCode]);
        }
    }

    public function testWebhooksAreRepeatedUntilTheyAreTaken(): void
    {
        $account = $this->paysimAccount();
        $account->webhooks->respond(500);
        $id = self::create($account);
        $account->failPayment($id, failure_code: 'declined');
        $first = $account->webhooks->next('payment.failed', ['id' => $id]);
        $this->assertSame('declined', $first->data->failure_code);
        $account->webhooks->respond(204);
        $account->advanceClock(until: 'idle', max: '1d');
        $this->assertEquals($first, $account->webhooks->next('payment.failed'));
        $this->assertSame(['delivered'], array_column($account->listDeliveries()->data, 'status'));
        $this->assertGreaterThan(1, count($account->webhooks->all()));
    }

    public function testAForgedWebhookIsRefused(): void
    {
        $account = $this->paysimAccount();
        $account->replaceFaults([['on' => 'webhook', 'type' => 'bad_signature', 'times' => 1]]);
        $account->succeedPayment(self::create($account));
        $forged = self::thrown(fn () => $account->webhooks->next('payment.succeeded'));
        $this->assertInstanceOf(WebhookException::class, $forged);
        $this->assertStringContainsString('its signature', $forged->getMessage());
        $account->advanceClock(by: '1h');
        foreach ($account->listDeliveries()->data[0]->attempts as $attempt) {
            $this->assertSame(400, $attempt->response->status ?? 400);
        }
        $id = self::create($account);
        $account->succeedPayment($id);
        $this->assertSame($id, $account->webhooks->next('payment.succeeded')->data->id);

        $late = self::thrown(fn () => $account->webhooks->next('payment.failed', timeout: 0.01));
        $this->assertStringContainsString('received: payment.succeeded', $late->getMessage());
        $context = stream_context_create(['http' => ['method' => 'POST', 'ignore_errors' => true]]);
        file_get_contents($account->webhooks->url, false, $context);
        $this->assertStringContainsString(' 400 ', $http_response_header[0]);
        file_get_contents(dirname($account->webhooks->url) . '/..%2Frouter', false, $context);
        $this->assertStringContainsString(' 410 ', $http_response_header[0]);
    }

    public function testAWebhookThatComesAfterTheEndOfItsAccountIsRefused(): void
    {
        $account = Simulator::shared()->createAccount();
        Simulator::shared()->removeMerchant(substr($account->id, 0, (int) strrpos($account->id, '.')));
        $context = stream_context_create(['http' => ['method' => 'POST', 'ignore_errors' => true]]);
        $this->assertSame('', file_get_contents($account->webhooks->url, false, $context));
        $this->assertStringContainsString(' 410 ', $http_response_header[0]);
    }

    public function testManyWebhooksComeWhileTheTestWaits(): void
    {
        $account = $this->paysimAccount(rules: [['outcome' => ['after' => '1m', 'status' => 'succeeded']]]);
        $ids = array_map(fn () => self::create($account), range(1, 30));
        $account->advanceClock(by: '1m');
        $seen = array_map(fn () => $account->webhooks->next('payment.succeeded')->data->id, $ids);
        $this->assertEqualsCanonicalizing($ids, $seen);
    }

    public function testAnAccountIsExportedAndImported(): void
    {
        $account = $this->paysimAccount(environment: 'live');
        $this->assertStringEndsWith('.live', $account->id);
        $id = self::create($account, ['customer' => ['name' => "ä \"quoted\" \u{2028}"]]);
        $other = Simulator::shared()->createAccount(environment: 'live');
        $other->importAccount(...(array) $account->exportAccount());
        $this->assertEquals($account->readPayment($id)->customer, $other->readPayment($id)->customer);
        $other->close();
    }

    public function testAnAccountThatExistsIsOpenedAndKept(): void
    {
        $simulator = Simulator::shared();
        $account = $simulator->openAccount('default.test');
        $id = self::create($account);
        $account->succeedPayment($id);
        $account->webhooks->next('payment.succeeded', ['id' => $id]);
        $account->close();
        $this->assertSame([], $account->listEndpoints()->data);
        $this->assertSame('succeeded', $account->readPayment($id)->status);
        $this->assertSame(['default'], array_column($simulator->listMerchants()->data, 'id'));
        $this->assertStringContainsString('paysim_requests_total', $simulator->readMetrics());
        $this->assertEquals((object) ['status' => 'ready'], $simulator->request('GET', '/ready'));
    }

    /** @param array<string, mixed> $changes */
    private static function create(Account $account, array $changes = []): string
    {
        return $account->merchant->createPayment(...[
            'amount' => '25000',
            'currency' => 'THB',
            'country' => 'TH',
            'checkout_mode' => 'merchant',
            'merchant_reference' => 'order-1',
            'payment_method' => 'th_promptpay',
            'customer' => [],
            ...$changes,
        ])->id;
    }

    private static function thrown(callable $act): \RuntimeException
    {
        try {
            $act();
        } catch (\RuntimeException $exception) {
            return $exception;
        }
        self::fail('it did not throw');
    }
}
