<?php
namespace Whittle;

/** Works through the queue: in wp-cron, while the bulk page is open, or for WP-CLI. One process at a time does. */
final class Worker {
	const EVENT  = 'whittle_work';
	const LOCK   = 'whittle_lock';
	const PAUSED = 'whittle_paused';
	const WAIT   = 'whittle_problem';

	/** Seconds after which a process starts no further file; hosts end requests after 30 to 60. */
	const BUDGET = 20;
	/** Seconds after which a lock counts as left behind: longer than one request to the service. */
	const LOCK_SECONDS = 90;
	/** Processes that may end on one file of an image, one after another. Then the image is given up: the next one would end too. */
	const ENDED_PROCESSES = 3;
	/** Seconds until the next try when the service fails: doubled each time, up to the second. */
	const FIRST_WAIT = 60;
	const MAX_WAIT   = 3600;

	public static function connect(): void {
		add_action( self::EVENT, array( self::class, 'run' ) );
	}

	/** Plans the next run in a request of its own; there is one plan at a time. */
	public static function schedule( int $seconds = 0 ): void {
		wp_clear_scheduled_hook( self::EVENT );
		wp_schedule_single_event( time() + $seconds, self::EVENT );
		if ( 0 === $seconds && ! has_action( 'shutdown', 'spawn_cron' ) ) {
			add_action( 'shutdown', 'spawn_cron' );
		}
	}

	public static function is_paused(): bool {
		return (bool) get_option( self::PAUSED );
	}

	public static function pause(): void {
		update_option( self::PAUSED, 1, false );
	}

	public static function resume(): void {
		delete_option( self::PAUSED );
		self::clear_problem();
		self::schedule();
	}

	/** What stops the queue: [ kind, message, until, tries ], or null. */
	public static function problem(): ?array {
		$problem = get_option( self::WAIT );
		return is_array( $problem ) ? $problem : null;
	}

	public static function clear_problem(): void {
		delete_option( self::WAIT );
	}

	/** Works until the time is used up, the queue is empty, or a problem concerns all images. Returns how many images were finished. */
	public static function run( int $budget = self::BUDGET ): int {
		if ( ! Settings::are_complete() || self::is_paused() || self::waits() ) {
			self::plan();
			return 0;
		}
		// The host may end this process at any moment: the plan for that case is made first.
		self::schedule( self::LOCK_SECONDS );
		if ( ! self::lock() ) {
			return 0;
		}
		try {
			$finished = self::work( time() + $budget );
		} finally {
			delete_option( self::LOCK );
			self::plan();
		}
		return $finished;
	}

	/** Plans the next run: none without work, when the wait is over, or now. */
	private static function plan(): void {
		if ( null === Queue::next() || self::is_paused() || ! Settings::are_complete() ) {
			wp_clear_scheduled_hook( self::EVENT );
			return;
		}
		self::schedule( max( 0, ( self::problem()['until'] ?? 0 ) - time() ) );
	}

	private static function waits(): bool {
		$problem = self::problem();
		return null !== $problem && $problem['until'] > time();
	}

	private static function work( int $end ): int {
		if ( function_exists( 'set_time_limit' ) ) {
			@set_time_limit( self::BUDGET + Service::TOTAL_SECONDS + 15 ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- some hosts forbid it.
		}
		$finished = 0;
		$settings = Settings::all();
		while ( time() < $end ) {
			$id = Queue::next();
			if ( null === $id || self::is_paused_now() ) {
				break;
			}
			self::renew_lock();
			$state = self::step( $id, $settings );
			if ( $state instanceof Problem ) {
				self::stop_for( $state );
				Queue::move_back( $id );
				break;
			}
			self::clear_problem();
			if ( $state ) {
				Queue::remove( $id );
				++$finished;
			} else {
				Queue::clear_ended( $id );
			}
		}
		return $finished;
	}

	private static function step( int $id, array $settings ) {
		try {
			return ( new Job( $id, $settings ) )->step();
		} catch ( \Throwable $error ) {
			Record::fail( $id, $error->getMessage() );
			return true;
		}
	}

	/** Another process may have paused the queue: this one's copy of the option is dropped. */
	private static function is_paused_now(): bool {
		wp_cache_delete( self::PAUSED, 'options' );
		wp_cache_delete( 'notoptions', 'options' );
		return self::is_paused();
	}

	private static function stop_for( Problem $problem ): void {
		$tries = min( 10, ( self::problem()['tries'] ?? 0 ) + 1 );
		$wait  = $problem->retry_after ?? min( self::MAX_WAIT, self::FIRST_WAIT * 2 ** ( $tries - 1 ) );
		update_option(
			self::WAIT,
			array(
				'kind'    => $problem->kind,
				'message' => $problem->message,
				'until'   => time() + max( 5, min( self::MAX_WAIT, $wait ) ),
				'tries'   => $tries,
			),
			false
		);
	}

	/** Takes the lock, or one that was left behind. Both statements are atomic. */
	private static function lock(): bool {
		global $wpdb;
		$until = time() + self::LOCK_SECONDS;
		// phpcs:disable WordPress.DB
		$is_free = (bool) $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO {$wpdb->options} (option_name, option_value, autoload) VALUES (%s, %s, 'no')", self::LOCK, $until ) );
		$is_left = ! $is_free && $wpdb->query( $wpdb->prepare( "UPDATE {$wpdb->options} SET option_value = %s WHERE option_name = %s AND CAST(option_value AS UNSIGNED) < %d", $until, self::LOCK, time() ) );
		// phpcs:enable
		wp_cache_delete( self::LOCK, 'options' );
		if ( $is_left ) {
			self::suspect( Queue::next() );
		}
		return $is_free || $is_left;
	}

	/** Moves the image on which a process ended behind all others, and gives it up after ENDED_PROCESSES of them. The memory limit of PHP may end one. */
	private static function suspect( ?int $id ): void {
		if ( null === $id ) {
			return;
		}
		if ( Queue::count_ended( $id ) < self::ENDED_PROCESSES ) {
			return;
		}
		Queue::remove( $id );
		Record::fail( $id, __( 'The server has ended the work on one file of this image several times. It may be too large for the memory limit of PHP.', 'whittle' ) );
	}

	private static function renew_lock(): void {
		global $wpdb;
		// phpcs:ignore WordPress.DB -- as in lock().
		$wpdb->update( $wpdb->options, array( 'option_value' => time() + self::LOCK_SECONDS ), array( 'option_name' => self::LOCK ) );
		wp_cache_delete( self::LOCK, 'options' );
	}
}
