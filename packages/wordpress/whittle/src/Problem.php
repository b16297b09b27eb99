<?php
namespace Whittle;

/**
 * Why the service returned no image. The kind decides what happens next:
 * `image` concerns one file, which is given up; `service`, `account` and `quota` concern all, so the queue waits.
 */
final class Problem {
	public string $kind;
	public string $message;
	/** Seconds until the next try; null where the service names none. */
	public ?int $retry_after;

	public function __construct( string $kind, string $message, ?int $retry_after = null ) {
		$this->kind        = $kind;
		$this->message     = $message;
		$this->retry_after = $retry_after;
	}

	/** The problem that a transport error of WordPress's HTTP functions stands for. */
	public static function of_transport( \WP_Error $error, string $url ): self {
		$text = $error->get_error_message();
		if ( preg_match( '/timed out|timeout/i', $text ) ) {
			/* translators: %s: address of the service */
			return new self( 'service', sprintf( __( 'The service at %s did not answer in time. It may be overloaded, or a firewall may block it.', 'whittle' ), $url ) );
		}
		/* translators: 1: address of the service, 2: error of the network */
		return new self( 'service', sprintf( __( 'The service at %1$s cannot be reached (%2$s). Is it running, and is its address right?', 'whittle' ), $url, $text ) );
	}

	/** The problem that a status stands for. `$text` is what the service says. */
	public static function of_status( int $status, string $text, ?int $retry_after ): self {
		$text = wp_strip_all_tags( $text );
		if ( 402 === $status ) {
			return new self( 'quota', $text, 3600 );
		}
		if ( 403 === $status ) {
			return new self( 'account', $text, 3600 );
		}
		if ( 404 === $status || 405 === $status ) {
			/* translators: %d: HTTP status */
			return new self( 'account', sprintf( __( 'There is no Whittle service at this address (status %d). Check the address.', 'whittle' ), $status ), 3600 );
		}
		if ( 408 === $status || 429 === $status || 503 === $status || 502 === $status ) {
			return new self( 'service', $text, $retry_after );
		}
		return new self( 'image', $text );
	}
}
