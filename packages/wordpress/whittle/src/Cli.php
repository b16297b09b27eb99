<?php
namespace Whittle;

/** Optimises images by a Whittle service. */
final class Cli {
	/**
	 * Optimises images now, without wp-cron.
	 *
	 * ## OPTIONS
	 *
	 * [<id>...]
	 * : Attachments to optimise.
	 *
	 * [--all]
	 * : Every image that is neither done nor restored.
	 *
	 * ## EXAMPLES
	 *
	 *     wp whittle optimise 12 13
	 *     wp whittle optimise --all
	 */
	public function optimise( $ids, $flags ): void {
		if ( ! Settings::are_complete() ) {
			\WP_CLI::error( 'Set the address of the service and the account first.' );
		}
		if ( ! $ids && empty( $flags['all'] ) ) {
			\WP_CLI::error( 'Name attachments, or use --all.' );
		}
		if ( ! empty( $flags['all'] ) ) {
			Queue::add_all();
		}
		foreach ( $ids as $id ) {
			if ( ! Queue::accepts( (int) $id ) ) {
				\WP_CLI::error( "$id is not an image that can be optimised." );
			}
			Queue::add( (int) $id );
		}
		Worker::resume();
		$this->work();
	}

	private function work(): void {
		while ( null !== Queue::next() ) {
			$before = Queue::counts()['waiting'];
			Worker::run( 30 );
			$problem = Worker::problem();
			if ( null !== $problem ) {
				\WP_CLI::error( $problem['message'] );
			}
			if ( Worker::is_paused() ) {
				\WP_CLI::error( 'The queue was paused.' );
			}
			$left = Queue::counts()['waiting'];
			\WP_CLI::log( "$left images left" );
			if ( $left === $before ) {
				// Another process works on the queue.
				sleep( 1 );
			}
		}
		$failed = Queue::counts()['failed'];
		\WP_CLI::success( 0 === $failed ? 'All images are optimised.' : "Done; $failed images had a problem, see wp whittle status." );
	}

	/**
	 * Puts originals back.
	 *
	 * ## OPTIONS
	 *
	 * [<id>...]
	 * : Attachments to restore.
	 *
	 * [--all]
	 * : Every image that was optimised.
	 */
	public function restore( $ids, $flags ): void {
		$ids = empty( $flags['all'] ) ? array_map( 'intval', $ids ) : array_merge( Queue::ids( 'done' ), Queue::ids( 'failed' ) );
		if ( ! $ids ) {
			\WP_CLI::error( 'There is nothing to restore. Name attachments, or use --all.' );
		}
		foreach ( $ids as $id ) {
			if ( ! Job::restore( $id ) ) {
				\WP_CLI::error( "The originals of $id could not be put back." );
			}
		}
		\WP_CLI::success( count( $ids ) . ' images are restored.' );
	}

	/** Shows how many images are done, and what went wrong. */
	public function status(): void {
		$status = Bulk_Page::status();
		foreach ( array( 'all', 'waiting', 'done', 'failed', 'restored' ) as $name ) {
			\WP_CLI::log( str_pad( $name, 10 ) . $status[ $name ] );
		}
		\WP_CLI::log( sprintf( 'bytes     %d, now %d', $status['saved'][0], $status['saved'][1] ) );
		foreach ( $status['failures'] as $failure ) {
			\WP_CLI::log( "{$failure['title']}: {$failure['reason']}" );
		}
		if ( null !== $status['problem'] ) {
			\WP_CLI::warning( $status['problem']['message'] );
		}
	}

	/** Tests the connection to the service. */
	public function test(): void {
		$answer = Connection::test( Settings::all() );
		if ( $answer['ok'] ) {
			\WP_CLI::success( $answer['message'] );
		} else {
			\WP_CLI::error( $answer['message'] );
		}
	}
}
