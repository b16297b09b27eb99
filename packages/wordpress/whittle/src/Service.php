<?php
namespace Whittle;

/** Speaks HTTP with the Whittle service. */
final class Service {
	/** Seconds that the service may search for one file. */
	const SEARCH_SECONDS = 20;
	/** Seconds for connecting, sending, searching and receiving. */
	const TOTAL_SECONDS = 45;
	/** The service refuses larger sources by default. */
	const MAX_BYTES = 50000000;

	const TYPES = array(
		'jpeg' => 'image/jpeg',
		'png'  => 'image/png',
		'gif'  => 'image/gif',
		'webp' => 'image/webp',
		'avif' => 'image/avif',
	);

	/**
	 * Sends a file and asks for it in a format.
	 *
	 * @param array  $settings as Settings::all() returns them.
	 * @param string $path     file to send.
	 * @param string $format   key of TYPES.
	 * @return Result|Problem
	 */
	public static function optimise( array $settings, string $path, string $format ) {
		$body = @file_get_contents( $path ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- the problem is reported below.
		if ( false === $body ) {
			return new Problem( 'image', __( 'The file cannot be read.', 'whittle' ) );
		}
		return self::send( $settings, $body, $format );
	}

	/** As optimise(), with the bytes of a file. */
	public static function send( array $settings, string $body, string $format ) {
		$quality  = 'lossless' === $settings['quality'] && 'avif' === $format ? 'high' : $settings['quality'];
		$options  = "full,format=$format,quality=$quality,timeout=" . self::SEARCH_SECONDS;
		$response = wp_remote_post(
			$settings['url'] . '/' . rawurlencode( $settings['account'] ) . '/' . $options,
			array(
				'headers'             => array(
					'Content-Type' => 'application/octet-stream',
					'Accept'       => self::TYPES[ $format ] . ', text/plain',
				),
				'body'                => $body,
				'timeout'             => self::TOTAL_SECONDS,
				'limit_response_size' => self::MAX_BYTES,
				'user-agent'          => 'Whittle-WordPress/' . VERSION,
			)
		);
		return self::read( $response, $settings['url'], $format );
	}

	private static function read( $response, string $url, string $format ) {
		if ( is_wp_error( $response ) ) {
			return Problem::of_transport( $response, $url );
		}
		$status = (int) wp_remote_retrieve_response_code( $response );
		$bytes  = (string) wp_remote_retrieve_body( $response );
		$header = static fn( string $name ): string => (string) wp_remote_retrieve_header( $response, $name );
		if ( 200 !== $status ) {
			$after = $header( 'retry-after' );
			return Problem::of_status( $status, substr( $bytes, 0, 500 ), is_numeric( $after ) ? (int) $after : null );
		}
		$length = $header( 'content-length' );
		if ( is_numeric( $length ) && (int) $length !== strlen( $bytes ) ) {
			return new Problem( 'service', __( 'The service was cut off in the middle of an answer.', 'whittle' ) );
		}
		$type  = strtok( $header( 'content-type' ), ';' );
		$found = array_search( $type, self::TYPES, true );
		if ( false === $found ) {
			/* translators: %s: content type */
			return new Problem( 'account', sprintf( __( 'The address does not lead to a Whittle service: it answered with "%s".', 'whittle' ), $type ), 3600 );
		}
		$left = $header( 'x-quota-remaining' );
		return new Result( $bytes, $found, is_numeric( $left ) ? (int) $left : null );
	}
}
