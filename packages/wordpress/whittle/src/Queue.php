<?php
namespace Whittle;

/** Attachments that wait. Each has a row of post meta with the number of processes that ended one after another while they worked on it. */
final class Queue {
	const DUE = '_whittle_due';

	public static function connect(): void {
		// The last filter of an upload: every size is there.
		add_filter( 'wp_generate_attachment_metadata', array( self::class, 'on_upload' ), 999, 2 );
		add_filter( 'wp_update_attachment_metadata', array( self::class, 'on_edit' ), 999, 2 );
		add_action( 'delete_attachment', array( Job::class, 'discard' ) );
	}

	/** Queues a new upload. Nothing that goes wrong here may reach the upload. */
	public static function on_upload( $metadata, $id ) {
		try {
			if ( Settings::all()['uploads'] && Settings::are_complete() && self::accepts( (int) $id ) ) {
				self::add( (int) $id );
				Worker::schedule();
			}
		} catch ( \Throwable $error ) {
			error_log( 'Whittle: ' . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- an upload goes on without us.
		}
		return $metadata;
	}

	/** Queues an attachment again whose image was edited: it has files that are not in its record. */
	public static function on_edit( $metadata, $id ) {
		if ( 'done' === Record::state( (int) $id ) && is_array( $metadata ) ) {
			$names = array_merge( array( wp_basename( $metadata['file'] ?? '' ) ), array_column( $metadata['sizes'] ?? array(), 'file' ) );
			if ( array_diff( $names, array_keys( Record::read( (int) $id )['files'] ) ) ) {
				return self::on_upload( $metadata, $id );
			}
		}
		return $metadata;
	}

	/** Whether an attachment is an image that the service can replace. */
	public static function accepts( int $id ): bool {
		return isset( Files::FORMATS[ (string) get_post_mime_type( $id ) ] );
	}

	/** Queues one attachment, and tries again what failed. */
	public static function add( int $id ): void {
		Record::retry( $id );
		update_post_meta( $id, self::DUE, 0 );
	}

	/** Moves an attachment behind all others, so that one that fails does not hold them up. `$ended`: see count_ended(). */
	public static function move_back( int $id, int $ended = 0 ): void {
		self::remove( $id );
		add_post_meta( $id, self::DUE, $ended, true );
	}

	/** Counts a process that ended while it worked on an attachment, and moves that back. Returns how many did. */
	public static function count_ended( int $id ): int {
		$ended = 1 + (int) get_post_meta( $id, self::DUE, true );
		self::move_back( $id, $ended );
		return $ended;
	}

	/** Forgets the ended processes of an attachment: a file of it was finished. */
	public static function clear_ended( int $id ): void {
		if ( 0 !== (int) get_post_meta( $id, self::DUE, true ) ) {
			update_post_meta( $id, self::DUE, 0 );
		}
	}

	public static function remove( int $id ): void {
		delete_post_meta( $id, self::DUE );
	}

	/** Queues every image that is neither done nor restored by hand. Returns how many. */
	public static function add_all(): int {
		global $wpdb;
		foreach ( self::ids( 'failed' ) as $id ) {
			Record::retry( $id );
		}
		$types = self::types();
		// One statement: a library may have 100,000 images. Only names of this class and constants are put in.
		// phpcs:disable WordPress.DB
		$added = (int) $wpdb->query(
			$wpdb->prepare(
				"INSERT INTO {$wpdb->postmeta} (post_id, meta_key, meta_value)
				SELECT p.ID, %s, '0' FROM {$wpdb->posts} p
				WHERE p.post_type = 'attachment' AND p.post_mime_type IN ($types)
				AND NOT EXISTS (SELECT 1 FROM {$wpdb->postmeta} m WHERE m.post_id = p.ID
					AND (m.meta_key = %s OR (m.meta_key = %s AND m.meta_value IN ('done', 'restored'))))",
				self::DUE,
				self::DUE,
				Record::STATE
			)
		);
		// phpcs:enable
		wp_cache_set_posts_last_changed();
		return $added;
	}

	/** The attachment that waits longest, or null. */
	public static function next(): ?int {
		global $wpdb;
		// phpcs:ignore WordPress.DB -- always the newest state.
		$id = $wpdb->get_var( $wpdb->prepare( "SELECT post_id FROM {$wpdb->postmeta} WHERE meta_key = %s ORDER BY meta_id LIMIT 1", self::DUE ) );
		return null === $id ? null : (int) $id;
	}

	/** Numbers of images: all, waiting, done, failed and restored, and bytes before and after. */
	public static function counts(): array {
		global $wpdb;
		$types = self::types();
		// phpcs:disable WordPress.DB
		$all    = (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->posts} WHERE post_type = 'attachment' AND post_mime_type IN ($types)" );
		$queued = (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM {$wpdb->postmeta} WHERE meta_key = %s", self::DUE ) );
		$states = $wpdb->get_results( $wpdb->prepare( "SELECT meta_value AS state, COUNT(*) AS images FROM {$wpdb->postmeta} WHERE meta_key = %s GROUP BY meta_value", Record::STATE ), OBJECT_K );
		// phpcs:enable
		$of = static fn( string $state ): int => isset( $states[ $state ] ) ? (int) $states[ $state ]->images : 0;
		return array(
			'all'      => $all,
			'waiting'  => $queued,
			'done'     => $of( 'done' ),
			'failed'   => $of( 'failed' ),
			'restored' => $of( 'restored' ),
		);
	}

	/** Attachments in a state. */
	public static function ids( string $state, int $limit = -1 ): array {
		return array_map(
			'intval',
			get_posts(
				array(
					'post_type'      => 'attachment',
					'post_status'    => 'any',
					'posts_per_page' => $limit,
					'fields'         => 'ids',
					'meta_key'       => Record::STATE, // phpcs:ignore WordPress.DB.SlowDBQuery -- the key is indexed.
					'meta_value'     => $state, // phpcs:ignore WordPress.DB.SlowDBQuery -- few rows have the key.
				)
			)
		);
	}

	private static function types(): string {
		return "'" . implode( "','", array_keys( Files::FORMATS ) ) . "'";
	}
}
