<?php
namespace Whittle;

/** A column of the media library: what was saved, and links to optimise or restore one image. */
final class Media_Column {
	public static function connect(): void {
		add_filter( 'manage_media_columns', static fn( $columns ) => $columns + array( 'whittle' => 'Whittle' ) );
		add_action( 'manage_media_custom_column', array( self::class, 'show' ), 10, 2 );
		add_action( 'admin_post_whittle_restore', array( self::class, 'restore' ) );
		add_action( 'admin_post_whittle_optimise', array( self::class, 'optimise' ) );
	}

	public static function show( $column, $id ): void {
		$id = (int) $id;
		if ( 'whittle' !== $column || ! Queue::accepts( $id ) ) {
			return;
		}
		echo esc_html( self::text( $id ) );
		if ( current_user_can( 'edit_post', $id ) ) {
			echo '<br>';
			self::link( $id );
		}
	}

	private static function text( int $id ): string {
		if ( metadata_exists( 'post', $id, Queue::DUE ) ) {
			return __( 'Waiting', 'whittle' );
		}
		$data  = Record::read( $id );
		$state = Record::state( $id );
		if ( 'failed' === $state ) {
			return Record::problem( $data );
		}
		if ( 'done' !== $state ) {
			return 'restored' === $state ? __( 'Original', 'whittle' ) : __( 'Not optimised', 'whittle' );
		}
		list( $before, $after ) = Record::sums( $data );
		$formats                = strtoupper( implode( ', ', $data['served'] ?? array() ) );
		/* translators: 1: bytes before, 2: bytes after, 3: percentage */
		return sprintf( __( '%1$s → %2$s (-%3$d %%)', 'whittle' ), size_format( $before, 1 ), size_format( $after, 1 ), $before > 0 ? round( ( 1 - $after / $before ) * 100 ) : 0 ) . ( '' === $formats ? '' : ", $formats" );
	}

	private static function link( int $id ): void {
		$is_made = array() !== Record::read( $id )['files'];
		$action  = $is_made ? 'whittle_restore' : 'whittle_optimise';
		printf(
			'<a href="%s">%s</a>',
			esc_url( wp_nonce_url( admin_url( "admin-post.php?action=$action&id=$id" ), "$action-$id" ) ),
			esc_html( $is_made ? __( 'Restore the original', 'whittle' ) : __( 'Optimise', 'whittle' ) )
		);
	}

	/** The attachment that a link names. Ends the request unless the user may edit it. */
	private static function requested( string $action ): int {
		$id = absint( $_GET['id'] ?? 0 ); // phpcs:ignore WordPress.Security.NonceVerification -- the next line checks it.
		check_admin_referer( "$action-$id" );
		if ( ! current_user_can( 'edit_post', $id ) ) {
			wp_die( esc_html__( 'You may not change this image.', 'whittle' ) );
		}
		return $id;
	}

	private static function go_back( string $message ): void {
		Notices::add( $message );
		wp_safe_redirect( wp_get_referer() ? wp_get_referer() : admin_url( 'upload.php' ) );
		exit;
	}

	public static function restore(): void {
		$is_done = Job::restore( self::requested( 'whittle_restore' ) );
		self::go_back( $is_done ? __( 'The original is back.', 'whittle' ) : __( 'Some originals could not be put back. Is the uploads folder writable?', 'whittle' ) );
	}

	public static function optimise(): void {
		Queue::add( self::requested( 'whittle_optimise' ) );
		Worker::schedule();
		self::go_back( __( 'The image is optimised in the background.', 'whittle' ) );
	}
}
