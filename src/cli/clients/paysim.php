<?php

/**
 * Tests against paysim: a simulator, its accounts, both APIs and the webhooks.
 *
 * Made by `paysim client php`. Do not change this file, make it again.
 */

declare(strict_types=1);

namespace Paysim;

// paysim: version

/** A refused call, or an answer that is not JSON. */
final class PaysimException extends \RuntimeException
{
    public string $errorCode = '';
    /** @var list<\stdClass> */
    public array $details = [];

    public function __construct(string $call, public readonly int $status, public readonly string $body)
    {
        $answer = json_decode($body);
        $error = $answer->error ?? $answer;
        $this->errorCode = (string) ($error->code ?? '');
        $this->details = (array) ($error->details ?? []);
        $message = $error->message ?? substr($body, 0, 200);
        foreach ($this->details as $detail) {
            $message .= "; $detail->field: $detail->message";
        }
        parent::__construct("$call: $status $this->errorCode: $message", $status);
    }
}

/** No answer came. */
final class ConnectionException extends \RuntimeException
{
}

/** A webhook that this account's endpoint did not sign, or none within the time. */
final class WebhookException extends \RuntimeException
{
}

/** Calls below one address. */
abstract class Calls
{
    public function __construct(public readonly string $url, protected readonly string $authorization)
    {
    }

    /**
     * Makes any call. A member that is null is not sent. An object of an answer is a stdClass.
     *
     * @param array<string, mixed> $query
     * @param array<string, ?string> $headers
     * @param array<string, mixed>|null $body
     * @param array<string, ?string> $form with the bytes of an image as `file`
     */
    public function request(
        string $method,
        string $path,
        array $query = [],
        array $headers = [],
        ?array $body = null,
        array $form = [],
        string $answer = 'json',
    ): mixed {
        $sent = ['Authorization' => $this->authorization, 'Connection' => 'close', ...self::given($headers)];
        $content = '';
        if (self::given($form) !== []) {
            $boundary = bin2hex(random_bytes(16));
            $sent += ['Idempotency-Key' => bin2hex(random_bytes(16))];
            $sent['Content-Type'] = "multipart/form-data; boundary=$boundary";
            $content = self::multipart($boundary, self::given($form));
        } elseif ($body !== null) {
            $sent['Content-Type'] = 'application/json';
            $content = json_encode((object) self::given($body), JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
        }
        $search = http_build_query(array_map(
            fn ($value) => is_array($value) ? implode(',', $value) : $value,
            self::given($query),
        ));
        $lines = array_map(fn ($name, $value) => "$name: $value", array_keys($sent), $sent);
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $lines,
            'content' => $content,
            'protocol_version' => 1.1,
            'follow_location' => 0,
            'ignore_errors' => true,
            'timeout' => 300,
        ]]);
        $call = "$method $path";
        $stream = @fopen($this->url . $path . ($search === '' ? '' : "?$search"), 'r', false, $context);
        if ($stream === false) {
            throw new ConnectionException("$call: " . (error_get_last()['message'] ?? 'no answer'));
        }
        $received = (string) stream_get_contents($stream);
        $status = (int) explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
        fclose($stream);
        if ($status < 200 || $status > 299) {
            throw new PaysimException($call, $status, $received);
        }
        if ($answer !== 'json' || $status === 204) {
            return $received;
        }
        try {
            return json_decode($received, false, 512, JSON_THROW_ON_ERROR);
        } catch (\JsonException) {
            throw new PaysimException($call, $status, $received);
        }
    }

    /** A parameter in a path. Dots alone would be resolved on the way. */
    protected static function segment(string $text): string
    {
        return $text === '.' || $text === '..' ? str_replace('.', '%2E', $text) : rawurlencode($text);
    }

    /** An empty array would be sent as a list. */
    protected static function object(array|\stdClass|null $members): ?\stdClass
    {
        return $members === null ? null : (object) $members;
    }

    /**
     * @param array<string, mixed> $members
     * @return array<string, mixed>
     */
    private static function given(array $members): array
    {
        return array_filter($members, fn ($value) => $value !== null);
    }

    /** @param array<string, string> $form */
    private static function multipart(string $boundary, array $form): string
    {
        $content = '';
        foreach ($form as $name => $value) {
            $content .= "--$boundary\r\nContent-Disposition: form-data; name=\"$name\"";
            if ($name === 'file') {
                $kind = str_starts_with($value, "\x89PNG") ? 'png' : 'jpeg';
                $content .= "; filename=\"receipt.$kind\"\r\nContent-Type: image/$kind";
            }
            $content .= "\r\n\r\n$value\r\n";
        }
        return "$content--$boundary--\r\n";
    }
}

/** The merchant API, with the keys of one account. */
final class MerchantCalls extends Calls
{
    // paysim: calls of the merchant API
}

/** The control surface of one account: payer, provider, clock, rules, faults. */
class AccountCalls extends Calls
{
    // paysim: calls of an account
}

/** The control surface of the simulator as a whole. */
class SimulatorCalls extends Calls
{
    // paysim: calls of the simulator
}

/** A running simulator. `Simulator::shared()` is the one of this process. */
final class Simulator extends SimulatorCalls
{
    private static ?self $shared = null;
    private ?Receiver $receiver = null;
    /** @var ?resource its stdin, whose end ends it */
    private $stdin = null;

    public function __construct(public readonly string $baseUrl, string $controlUrl, string $controlToken)
    {
        parent::__construct($controlUrl, "Bearer $controlToken");
        $version = $this->health()->version ?? '0';
        if (self::compatible($version) !== self::compatible(VERSION)) {
            throw new \RuntimeException(
                "the simulator at $baseUrl is paysim $version, and this file was made by " . VERSION .
                ': make it again with the paysim client php of that version'
            );
        }
    }

    /** The simulator of `paysim exec`, or else one that is started once. */
    public static function shared(): self
    {
        return self::$shared ??= getenv('PAYSIM_CONTROL_URL') === false ? self::start() : self::found();
    }

    /** The simulator that the environment names, as `paysim exec` does it. */
    public static function found(): self
    {
        $names = ['PAYSIM_BASE_URL', 'PAYSIM_CONTROL_URL', 'PAYSIM_CONTROL_TOKEN'];
        return new self(...array_map(fn ($name) => (string) getenv($name), $names));
    }

    /** Starts `paysim serve`, in memory. It ends with this process. */
    public static function start(string ...$options): self
    {
        $program = getenv('PAYSIM_COMMAND') ?: 'paysim';
        // A path may have blanks; anything else is split into words, which may be quoted.
        preg_match_all('~"([^"]*)"|\'([^\']*)\'|(\S+)~', $program, $words, PREG_SET_ORDER);
        $words = is_file($program) ? [$program] : array_map(fn (array $word): string => end($word), $words);
        $command = [...$words, 'serve', '--ephemeral', '--port=0', '--json', '--stop-with-stdin', ...$options];
        $process = @proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        $ready = $process === false ? null : json_decode((string) fgets($pipes[1]));
        if ($ready === null) {
            throw new \RuntimeException(
                "$program serve did not start: install paysim, name it in PAYSIM_COMMAND, " .
                'or run the tests by paysim exec'
            );
        }
        fclose($pipes[1]);
        $simulator = new self($ready->url, $ready->control_url, $ready->control_token);
        $simulator->stdin = $pipes[0];
        register_shutdown_function(static function () use ($simulator, $process): void {
            $simulator->stop();
            proc_close($process);
        });
        return $simulator;
    }

    /** Stops the simulator, if it was started here. */
    public function stop(): void
    {
        if ($this->stdin !== null) {
            fclose($this->stdin);
            $this->stdin = null;
        }
    }

    /**
     * A new merchant with a webhook receiver. Its clock is virtual by default.
     *
     * @param array<string, mixed> $clock
     * @param mixed ...$settings those of `createMerchant`, such as `rules: [...]`
     */
    public function createAccount(
        string $environment = 'test',
        array $clock = ['mode' => 'virtual'],
        mixed ...$settings,
    ): Account {
        $path = '/' . bin2hex(random_bytes(16));
        $webhooks = [['url' => $this->receiver()->url . $path, 'environment' => $environment]];
        $merchant = $this->request('POST', '/merchants', body: [
            'clock' => $clock,
            'webhooks' => $webhooks,
            ...$settings,
        ]);
        $leave = fn () => $this->removeMerchant($merchant->id);
        return new Account($this, $merchant, $environment, $this->authorization, $path, $this->receiver(), $leave);
    }

    /** An account that exists, such as `default.test`. */
    public function openAccount(string $id): Account
    {
        $dot = (int) strrpos($id, '.');
        $merchant = $this->readMerchant(substr($id, 0, $dot));
        $path = '/' . bin2hex(random_bytes(16));
        $leave = function (Account $account) use ($path): void {
            foreach ($account->listEndpoints()->data as $endpoint) {
                if ($endpoint->url === $this->receiver()->url . $path) {
                    $account->removeEndpoint($endpoint->id);
                }
            }
        };
        $environment = substr($id, $dot + 1);
        $account = new Account($this, $merchant, $environment, $this->authorization, $path, $this->receiver(), $leave);
        $account->addEndpoint($this->receiver()->url . $path);
        return $account;
    }

    private function receiver(): Receiver
    {
        return $this->receiver ??= new Receiver();
    }

    /** The part of a version that must be the same. Before 1.0, that is the minor one too. */
    private static function compatible(string $version): string
    {
        [$major, $minor] = [...explode('.', $version), ''];
        return $major === '0' ? "0.$minor" : $major;
    }
}

/** One merchant in one environment, seen from all sides. */
final class Account extends AccountCalls
{
    public readonly string $id;
    public readonly string $publicKey;
    public readonly string $secretKey;
    public readonly MerchantCalls $merchant;
    public readonly Webhooks $webhooks;

    public function __construct(
        Simulator $simulator,
        \stdClass $merchant,
        string $environment,
        string $authorization,
        string $path,
        Receiver $receiver,
        private readonly \Closure $leave,
    ) {
        $this->id = "$merchant->id.$environment";
        parent::__construct("$simulator->url/accounts/$this->id", $authorization);
        [$keys] = array_values(array_filter($merchant->accounts, fn ($account) => $account->id === $this->id));
        $this->publicKey = (string) $keys->public_key;
        $this->secretKey = (string) $keys->secret_key;
        $pair = base64_encode("$this->publicKey:$this->secretKey");
        $this->merchant = new MerchantCalls($simulator->baseUrl, "Basic $pair");
        $this->webhooks = new Webhooks($this, $receiver, $path, $authorization);
    }

    /** Removes the merchant, if it was created here, and its receiver. */
    public function close(): void
    {
        $this->webhooks->close();
        try {
            ($this->leave)($this);
        } catch (PaysimException $exception) {
            if ($exception->status !== 404) {
                throw $exception;
            }
        } catch (ConnectionException) {
            // The simulator is gone, and the account with it.
        }
    }
}

/** A webhook as it was received, and what is wrong with it. */
final class Webhook
{
    /** @param array<string, string> $headers with names in lower case */
    public function __construct(
        public readonly array $headers,
        public readonly string $body,
        public readonly ?\stdClass $event,
        public readonly ?string $problem,
    ) {
    }

    /**
     * What is wrong by the rules of Standard Webhooks.
     *
     * @param array<string, string> $headers
     * @param list<string> $secrets
     */
    public static function problem(array $headers, string $body, array $secrets): ?string
    {
        $event = json_decode($body);
        $id = $headers['webhook-id'] ?? null;
        $at = $headers['webhook-timestamp'] ?? '';
        if (!$event instanceof \stdClass || $id === null || !ctype_digit($at)) {
            return 'it is not JSON, or lacks a header of its signature';
        }
        $signatures = explode(' ', $headers['webhook-signature'] ?? '');
        foreach ($secrets as $secret) {
            $key = (string) base64_decode(substr($secret, strlen('whsec_')));
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", $key, true));
            foreach ($signatures as $signature) {
                if (!hash_equals($expected, $signature)) {
                    continue;
                }
                if (abs(time() - (int) $at) > 300) {
                    return "its timestamp $at is stale";
                }
                return ($event->id ?? null) === $id ? null : 'its id is not that of its event';
            }
        }
        return "its signature is not one of this account's endpoint";
    }
}

/** The webhook receiver of one account. It answers 204, and 400 to a wrong signature. */
final class Webhooks
{
    public readonly string $url;
    private readonly string $file;
    private int $read = 0;
    /** @var list<Webhook> */
    private array $received = [];
    /** @var list<Webhook> */
    private array $untaken = [];

    public function __construct(
        private readonly Account $account,
        private readonly Receiver $receiver,
        string $path,
        string $authorization,
    ) {
        $this->url = $receiver->url . $path;
        $this->file = $receiver->folder . $path;
        file_put_contents("$this->file.status", '204');
        file_put_contents("$this->file.received", '');
        file_put_contents("$this->file.account", "$account->url\n$authorization\n$this->url");
    }

    /**
     * The oldest event of this type that was not returned yet; waits for it.
     *
     * @param array<string, mixed> $data members of its data, such as `['id' => $payment->id]`
     */
    public function next(?string $type = null, array $data = [], float $timeout = 10): \stdClass
    {
        $until = microtime(true) + $timeout;
        do {
            $this->look();
            foreach ($this->untaken as $at => $webhook) {
                if ($webhook->problem === null && !self::matches($webhook->event, $type, $data)) {
                    continue;
                }
                array_splice($this->untaken, $at, 1);
                if ($webhook->problem !== null) {
                    throw new WebhookException("a webhook is not valid: $webhook->problem");
                }
                return $webhook->event;
            }
        } while ($this->receiver->wait($until - microtime(true)));
        $came = implode(', ', array_map(fn ($webhook) => $webhook->event->type ?? '?', $this->received)) ?: 'none';
        $clock = $this->account->readClock();
        throw new WebhookException(
            "no webhook $type " . json_encode($data) . " within $timeout s; received: $came; " .
            "the $clock->mode clock is at $clock->now, the next timer at " . ($clock->next_due ?? 'no time')
        );
    }

    /**
     * All webhooks, in the order in which they came.
     *
     * @return list<Webhook>
     */
    public function all(): array
    {
        $this->look();
        return $this->received;
    }

    /** Answers later webhooks with this status. */
    public function respond(int $status): void
    {
        file_put_contents("$this->file.status", (string) $status, LOCK_EX);
    }

    /** @internal */
    public function close(): void
    {
        array_map('unlink', glob("$this->file.*") ?: []);
    }

    /** Reads what the receiver has written since the last time. */
    private function look(): void
    {
        $text = (string) @file_get_contents("$this->file.received", false, null, $this->read);
        $end = strrpos($text, "\n");
        if ($end === false) {
            return;
        }
        $this->read += $end + 1;
        foreach (explode("\n", substr($text, 0, $end)) as $line) {
            [$headers, $body, $problem] = json_decode($line, true);
            $body = (string) base64_decode($body);
            $event = json_decode($body);
            $webhook = new Webhook($headers, $body, $event instanceof \stdClass ? $event : null, $problem);
            // A refused webhook is sent again; one error for it is enough.
            $same = fn ($other) => $other->problem !== null && $other->body === $body;
            if ($problem === null || array_filter($this->received, $same) === []) {
                $this->untaken[] = $webhook;
            }
            $this->received[] = $webhook;
        }
    }

    /** @param array<string, mixed> $data */
    private static function matches(\stdClass $event, ?string $type, array $data): bool
    {
        if ($type !== null && $event->type !== $type) {
            return false;
        }
        foreach ($data as $name => $value) {
            if (($event->data->$name ?? null) !== $value) {
                return false;
            }
        }
        return true;
    }
}

/**
 * Receives the webhooks of all accounts, each at a path of its own, in a process of its own, since a test waits for the
 * simulator while that waits for the answers to its webhooks.
 *
 * @internal
 */
final class Receiver
{
    public readonly string $url;
    public readonly string $folder;
    /** @var resource[] */
    private array $pipes = [];

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/paysim-' . bin2hex(random_bytes(8));
        mkdir($this->folder, 0700);
        $here = var_export(__FILE__, true);
        $folder = var_export($this->folder, true);
        file_put_contents("$this->folder/router.php", "<?php\n\nrequire $here;\n\\Paysim\\Receiver::take($folder);\n");
        $command = [PHP_BINARY, '-r', "require $here; \\Paysim\\Receiver::serve($folder);"];
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes);
        $port = (int) fgets($this->pipes[1]);
        if ($process === false || $port === 0) {
            throw new \RuntimeException('the receiver of webhooks did not start');
        }
        $this->url = "http://127.0.0.1:$port";
        register_shutdown_function(static function (array $pipes) use ($process): void {
            array_map('fclose', $pipes);
            proc_close($process);
        }, $this->pipes);
    }

    /** Waits for a webhook; false if the time is over. */
    public function wait(float $seconds): bool
    {
        $ready = [$this->pipes[1]];
        $none = [];
        $microseconds = (int) max(0, $seconds * 1e6);
        $count = stream_select($ready, $none, $none, intdiv($microseconds, 1000000), $microseconds % 1000000);
        return $count > 0 && fread($this->pipes[1], 8192) !== false;
    }

    /** Runs `php -S` until stdin ends, as it does when the test ends in any way. */
    public static function serve(string $folder): void
    {
        $command = [PHP_BINARY, '-S', '127.0.0.1:0', "$folder/router.php"];
        $server = proc_open($command, [['null'], STDOUT, ['pipe', 'w']], $pipes);
        $log = $pipes[2];
        $line = (string) fgets($log);
        fwrite(STDOUT, (preg_match('~http://127\.0\.0\.1:(\d+)~', $line, $found) ? $found[1] : '') . "\n");
        while (!feof(STDIN)) {
            $ready = [STDIN, $log];
            $none = [];
            stream_select($ready, $none, $none, null);
            array_map(fn ($stream) => fread($stream, 8192), $ready);
        }
        proc_terminate($server);
        array_map('unlink', glob("$folder/*") ?: []);
        rmdir($folder);
    }

    /** Answers one webhook, in `php -S`. */
    public static function take(string $folder): void
    {
        $path = (string) $_SERVER['REQUEST_URI'];
        if (!preg_match('~^/[0-9a-f]{32}$~', $path) || !is_file("$folder$path.account")) {
            http_response_code(410);
            return;
        }
        [$url, $authorization, $own] = explode("\n", (string) file_get_contents("$folder$path.account"));
        try {
            $endpoints = (new AccountCalls($url, $authorization))->listEndpoints()->data;
        } catch (\RuntimeException) {
            // The account was closed, or the simulator, while this was sent.
            http_response_code(410);
            return;
        }
        $secrets = array_column(array_filter($endpoints, fn ($endpoint) => $endpoint->url === $own), 'secret');
        $headers = array_change_key_case(getallheaders());
        $body = (string) file_get_contents('php://input');
        $problem = Webhook::problem($headers, $body, $secrets);
        http_response_code($problem === null ? (int) file_get_contents("$folder$path.status") : 400);
        $line = json_encode([$headers, base64_encode($body), $problem], JSON_INVALID_UTF8_SUBSTITUTE);
        file_put_contents("$folder$path.received", "$line\n", FILE_APPEND);
        file_put_contents('php://stdout', '.');
    }
}

/** For a test case of PHPUnit: an account for each test. */
trait PaysimAccount
{
    private ?Account $paysimAccount = null;

    /** The account of this test. The first call may have settings, as `createAccount` takes them. */
    protected function paysimAccount(mixed ...$settings): Account
    {
        return $this->paysimAccount ??= Simulator::shared()->createAccount(...$settings);
    }

    /** @after */
    #[\PHPUnit\Framework\Attributes\After]
    protected function closePaysimAccount(): void
    {
        $this->paysimAccount?->close();
        $this->paysimAccount = null;
    }
}
