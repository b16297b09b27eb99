<?php
/** Removes settings and records of every site. Images stay as they are, and so do the kept originals. */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

function whittle_uninstall_site(): void {
	foreach ( array( 'whittle_settings', 'whittle_lock', 'whittle_paused', 'whittle_problem' ) as $option ) {
		delete_option( $option );
	}
	delete_transient( 'whittle_saved' );
	foreach ( array( '_whittle', '_whittle_state', '_whittle_due' ) as $key ) {
		delete_post_meta_by_key( $key );
	}
	wp_clear_scheduled_hook( 'whittle_work' );
}

if ( is_multisite() ) {
	foreach ( get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) as $site ) {
		switch_to_blog( $site );
		whittle_uninstall_site();
		restore_current_blog();
	}
	delete_site_option( 'whittle_settings' );
} else {
	whittle_uninstall_site();
}
