<?php

/**
 * Run with `paysim exec -- vendor/bin/phpunit --bootstrap tests/Paysim.php tests`, or with phpunit alone, where the
 * client starts paysim. `paysim client php --out tests/Paysim.php` makes the client.
 */

declare(strict_types=1);

use Paysim\Account;
use Paysim\PaysimAccount;
use Paysim\PaysimException;
use PHPUnit\Framework\TestCase;

final class PaymentsTest extends TestCase
{
    use PaysimAccount;

    public function testThePayerPaysAndTheShopGetsAWebhook(): void
    {
        $account = $this->paysimAccount();
        $payment = self::create($account);
        $account->succeedPayment($payment->id);

        $event = $account->webhooks->next('payment.succeeded', ['id' => $payment->id]);
        $this->assertSame('succeeded', $event->data->status);
    }

    public function testNobodyPaysAndThePaymentExpires(): void
    {
        $account = $this->paysimAccount(rules: [['expiry' => '30m']]);
        $payment = self::create($account);
        $account->advanceClock(by: '30m');

        $this->assertSame('expired', $account->merchant->getPayment($payment->id)->status);
    }

    public function testAPaymentSucceedsOnce(): void
    {
        $account = $this->paysimAccount();
        $payment = self::create($account);
        $account->succeedPayment($payment->id);

        $this->expectException(PaysimException::class);
        $this->expectExceptionMessage('422 invalid_state');
        $account->failPayment($payment->id);
    }

    private static function create(Account $account): stdClass
    {
        return $account->merchant->createPayment(
            amount: '25000',
            currency: 'THB',
            country: 'TH',
            checkout_mode: 'merchant',
            merchant_reference: 'order-1',
            payment_method: 'th_promptpay',
            customer: [],
        );
    }
}
