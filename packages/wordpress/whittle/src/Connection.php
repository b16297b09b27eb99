<?php
namespace Whittle;

/** The connection test: optimises one small image with given settings. */
final class Connection {
	/** Returns `ok` and one sentence. */
	public static function test( array $settings ): array {
		if ( '' === $settings['url'] || '' === $settings['account'] ) {
			return self::answer( false, __( 'Enter the address of the service and the name of the account first.', 'whittle' ) );
		}
		$answer = Service::send( $settings, (string) file_get_contents( dirname( __DIR__ ) . '/assets/test.png' ), 'png' );
		if ( $answer instanceof Problem ) {
			return self::answer( false, $answer->message );
		}
		Worker::clear_problem();
		if ( null === $answer->quota_left ) {
			return self::answer( true, __( 'The connection works.', 'whittle' ) );
		}
		/* translators: %s: number of images */
		return self::answer( true, sprintf( __( 'The connection works. The account has %s images left.', 'whittle' ), number_format_i18n( $answer->quota_left ) ) );
	}

	private static function answer( bool $ok, string $message ): array {
		return array(
			'ok'      => $ok,
			'message' => $message,
		);
	}
}
