<?php
namespace Whittle;

/** Notices of the administration: what stops the queue, and the answer to a click. */
final class Notices {
	public static function connect(): void {
		add_action( 'admin_notices', array( self::class, 'show' ) );
	}

	/** Shows a text once, on the next page of the user. */
	public static function add( string $message ): void {
		set_transient( 'whittle_notice_' . get_current_user_id(), $message, 60 );
	}

	public static function show(): void {
		$name    = 'whittle_notice_' . get_current_user_id();
		$message = get_transient( $name );
		if ( is_string( $message ) ) {
			delete_transient( $name );
			self::notice( 'success', $message );
		}
		$problem = Worker::problem();
		$screen  = get_current_screen();
		// The bulk page shows the problem itself, with the seconds until the next try.
		if ( null === $problem || ! current_user_can( 'manage_options' ) || ( $screen && 'media_page_whittle-bulk' === $screen->id ) ) {
			return;
		}
		$waiting = Queue::counts()['waiting'];
		/* translators: %s: number of images */
		$queue = sprintf( _n( '%s image waits.', '%s images wait.', $waiting, 'whittle' ), number_format_i18n( $waiting ) );
		self::notice( 'warning', "Whittle: {$problem['message']} $queue " . __( 'Until then pages show the files as they were uploaded.', 'whittle' ) );
	}

	private static function notice( string $kind, string $message ): void {
		printf( '<div class="notice notice-%s is-dismissible"><p>%s</p></div>', esc_attr( $kind ), esc_html( $message ) );
	}
}
