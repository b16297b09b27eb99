<?php
namespace Whittle;

/** Media → Whittle: progress over the whole library, with start, pause and resume. */
final class Bulk_Page {
	/** Failed images that are listed. */
	const LISTED = 20;

	public static function connect( string $url ): void {
		add_action( 'admin_menu', static fn() => add_media_page( 'Whittle', 'Whittle', 'manage_options', 'whittle-bulk', array( self::class, 'show' ) ) );
	}

	/** What the page shows, as JSON. */
	public static function status(): array {
		$counts  = Queue::counts();
		$problem = Worker::problem();
		return $counts + array(
			'paused'   => Worker::is_paused(),
			'ready'    => Settings::are_complete(),
			'saved'    => self::saved(),
			'failures' => array_map( array( self::class, 'failure' ), Queue::ids( 'failed', self::LISTED ) ),
			'problem'  => null === $problem ? null : array(
				'message' => $problem['message'],
				'seconds' => max( 0, $problem['until'] - time() ),
			),
		);
	}

	/** Bytes before and after of all images that are done, counted again when their number changes. */
	private static function saved(): array {
		global $wpdb;
		// phpcs:ignore WordPress.DB -- summed up here, kept for a minute.
		$mark   = $wpdb->get_row( $wpdb->prepare( "SELECT COUNT(*) AS n, MAX(meta_id) AS m FROM {$wpdb->postmeta} WHERE meta_key = %s", Record::STATE ), ARRAY_A );
		$cached = get_transient( 'whittle_saved' );
		if ( is_array( $cached ) && $cached['mark'] === $mark ) {
			return $cached['sums'];
		}
		$sums = array( 0, 0 );
		$last = 0;
		do {
			// phpcs:ignore WordPress.DB -- in pages: a library may have 100,000 images.
			$rows = $wpdb->get_results( $wpdb->prepare( "SELECT meta_id, meta_value FROM {$wpdb->postmeta} WHERE meta_key = %s AND meta_id > %d ORDER BY meta_id LIMIT 500", Record::DATA, $last ) );
			foreach ( $rows as $row ) {
				$data = maybe_unserialize( $row->meta_value );
				$last = (int) $row->meta_id;
				if ( is_array( $data ) ) {
					list( $before, $after ) = Record::sums( $data );
					$sums                   = array( $sums[0] + $before, $sums[1] + $after );
				}
			}
		} while ( $rows );
		set_transient( 'whittle_saved', compact( 'mark', 'sums' ), 60 );
		return $sums;
	}

	private static function failure( int $id ): array {
		return array(
			'title'  => get_the_title( $id ),
			'link'   => get_edit_post_link( $id, 'raw' ),
			'reason' => Record::problem( Record::read( $id ) ),
		);
	}

	public static function show(): void {
		?>
		<div class="wrap">
			<h1><?php esc_html_e( 'Whittle: all images', 'whittle' ); ?></h1>
			<div id="whittle-bulk" data-status="<?php echo esc_attr( wp_json_encode( self::status() ) ); ?>" data-settings="<?php echo esc_url( admin_url( 'options-general.php?page=' . Settings_Page::SLUG ) ); ?>">
				<p><?php esc_html_e( 'Every size of each image is optimised. Originals are kept and can be restored in the media library. You may close this page: the work goes on.', 'whittle' ); ?></p>
				<progress id="whittle-progress" max="1" value="0" aria-labelledby="whittle-figures"></progress>
				<p id="whittle-figures" role="status" aria-live="polite"></p>
				<p id="whittle-savings"></p>
				<div id="whittle-problem"></div>
				<p>
					<button class="button button-primary" id="whittle-start" hidden><?php esc_html_e( 'Start', 'whittle' ); ?></button>
					<button class="button" id="whittle-pause" hidden><?php esc_html_e( 'Pause', 'whittle' ); ?></button>
					<button class="button button-primary" id="whittle-resume" hidden><?php esc_html_e( 'Resume', 'whittle' ); ?></button>
				</p>
				<div id="whittle-failures"></div>
			</div>
		</div>
		<?php
	}
}
