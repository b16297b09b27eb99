<?php
namespace Whittle;

/** Settings → Whittle, and the same form for a network, whose values its sites start from. */
final class Settings_Page {
	const SLUG = 'whittle';

	public static function connect( string $url ): void {
		add_action( 'admin_menu', static fn() => add_options_page( 'Whittle', 'Whittle', 'manage_options', self::SLUG, array( self::class, 'show' ) ) );
		add_action( 'network_admin_menu', static fn() => add_submenu_page( 'settings.php', 'Whittle', 'Whittle', 'manage_network_options', self::SLUG, array( self::class, 'show_network' ) ) );
		add_action( 'network_admin_edit_whittle', array( self::class, 'save_network' ) );
		add_action(
			'admin_init',
			static fn() => register_setting(
				'whittle',
				Settings::OPTION,
				array(
					'type'              => 'array',
					'sanitize_callback' => array( Settings::class, 'clean' ),
				)
			)
		);
		// New settings may end what stopped the queue.
		add_action( 'update_option_' . Settings::OPTION, array( Worker::class, 'clear_problem' ) );
		add_action(
			'admin_enqueue_scripts',
			static function ( string $hook ) use ( $url ): void {
				if ( false === strpos( $hook, 'whittle' ) ) {
					return;
				}
				wp_enqueue_style( 'whittle', $url . 'assets/admin.css', array(), VERSION );
				wp_enqueue_script( 'whittle', $url . 'assets/admin.js', array( 'wp-api-fetch', 'wp-i18n' ), VERSION, true );
			}
		);
	}

	public static function show(): void {
		self::form( admin_url( 'options.php' ), Settings::all(), Settings::fixed(), static fn() => settings_fields( 'whittle' ) );
	}

	public static function show_network(): void {
		self::form(
			network_admin_url( 'edit.php?action=whittle' ),
			array_merge( Settings::DEFAULTS, Settings::of_network(), Settings::by_constant() ),
			Settings::by_constant(),
			static fn() => wp_nonce_field( 'whittle-network' )
		);
	}

	public static function save_network(): void {
		check_admin_referer( 'whittle-network' );
		if ( ! current_user_can( 'manage_network_options' ) ) {
			wp_die( esc_html__( 'You may not change the settings of the network.', 'whittle' ) );
		}
		// phpcs:ignore WordPress.Security.ValidatedSanitizedInput -- Settings::clean() does.
		update_site_option( Settings::OPTION, Settings::clean( wp_unslash( $_POST[ Settings::OPTION ] ?? array() ) ) );
		wp_safe_redirect( add_query_arg( 'updated', 'true', network_admin_url( 'settings.php?page=' . self::SLUG ) ) );
		exit;
	}

	private static function form( string $action, array $values, array $fixed, callable $fields ): void {
		?>
		<div class="wrap">
			<h1>Whittle</h1>
			<form method="post" action="<?php echo esc_url( $action ); ?>" id="whittle-settings">
				<?php $fields(); ?>
				<table class="form-table" role="presentation">
					<?php
					self::text( 'url', __( 'Address of the service', 'whittle' ), $values['url'], isset( $fixed['url'] ), __( 'Your own Whittle service, as this server reaches it: https://images.example.com', 'whittle' ) );
					self::text( 'account', __( 'Account', 'whittle' ), $values['account'], isset( $fixed['account'] ), __( 'The name that "whittle accounts add" was given.', 'whittle' ) );
					?>
					<tr>
						<th scope="row"><label for="whittle-quality"><?php esc_html_e( 'Quality', 'whittle' ); ?></label></th>
						<td>
							<select id="whittle-quality" name="<?php echo esc_attr( Settings::OPTION ); ?>[quality]">
								<?php foreach ( self::qualities() as $name => $label ) : ?>
									<option value="<?php echo esc_attr( $name ); ?>" <?php selected( $values['quality'], $name ); ?>><?php echo esc_html( $label ); ?></option>
								<?php endforeach; ?>
							</select>
						</td>
					</tr>
					<tr>
						<th scope="row"><?php esc_html_e( 'Modern formats', 'whittle' ); ?></th>
						<td><fieldset>
							<?php
							self::box( 'avif', __( 'Make AVIF files', 'whittle' ), $values );
							self::box( 'webp', __( 'Make WebP files', 'whittle' ), $values );
							?>
							<p class="description"><?php esc_html_e( 'Browsers that accept a format get it; all others get the JPEG or PNG. Each format counts as one image of the quota for each size.', 'whittle' ); ?></p>
						</fieldset></td>
					</tr>
					<tr>
						<th scope="row"><?php esc_html_e( 'New uploads', 'whittle' ); ?></th>
						<td><?php self::box( 'uploads', __( 'Optimise every size of a new image in the background', 'whittle' ), $values ); ?></td>
					</tr>
				</table>
				<p class="submit">
					<?php submit_button( '', 'primary', 'submit', false ); ?>
					<button type="button" class="button" id="whittle-test"><?php esc_html_e( 'Test the connection', 'whittle' ); ?></button>
				</p>
				<div id="whittle-test-result" role="status" aria-live="polite"></div>
			</form>
		</div>
		<?php
	}

	private static function qualities(): array {
		return array(
			'low'      => __( 'Low: the smallest files, with differences that can be noticed', 'whittle' ),
			'medium'   => __( 'Medium: balances size and quality', 'whittle' ),
			'high'     => __( 'High: no visible differences', 'whittle' ),
			'lossless' => __( 'Lossless: no pixel changes', 'whittle' ),
		);
	}

	private static function text( string $name, string $label, string $value, bool $is_fixed, string $help ): void {
		?>
		<tr>
			<th scope="row"><label for="whittle-<?php echo esc_attr( $name ); ?>"><?php echo esc_html( $label ); ?></label></th>
			<td>
				<input type="text" class="regular-text code" id="whittle-<?php echo esc_attr( $name ); ?>" name="<?php echo esc_attr( Settings::OPTION . "[$name]" ); ?>"
					value="<?php echo esc_attr( $value ); ?>" autocomplete="off" spellcheck="false" <?php echo $is_fixed ? 'readonly' : ''; ?>>
				<p class="description"><?php echo esc_html( $is_fixed ? __( 'Set in wp-config.php or for the network.', 'whittle' ) : $help ); ?></p>
			</td>
		</tr>
		<?php
	}

	private static function box( string $name, string $label, array $values ): void {
		printf(
			'<label><input type="checkbox" name="%s" value="1" %s> %s</label><br>',
			esc_attr( Settings::OPTION . "[$name]" ),
			checked( (bool) $values[ $name ], true, false ),
			esc_html( $label )
		);
	}
}
